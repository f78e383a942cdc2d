#include "crumple/methods/sprites/manifold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/suggest.h"

namespace crumple::sprites {
namespace {

constexpr int kMaxNewton = 30;
constexpr double kSettled = 1e-13;     // of a weight
constexpr double kQuadratic = 1e-5;    // steps below it leave only their square
constexpr double kBetter = 1e-3;       // of the cost: a simplex is left only for one that is better by this
constexpr double kFace = 1e-9;         // weights below it are none

double wrapped(double angle) {
  return angle - 2 * std::numbers::pi * std::round(angle / (2 * std::numbers::pi));
}

/// Polar decomposition of a handle's map.
struct Polar {
  double angle, p;
  Complex s, t;
};
Result<Polar> polar_of(const HandleTransform& handle, const Vec3& pivot, const std::string& where) {
  const Mat3 f = handle.rotation.toRotationMatrix() * handle.stretch;
  const Complex a(0.5 * (f(0, 0) + f(1, 1)), 0.5 * (f(1, 0) - f(0, 1))), b(0.5 * (f(0, 0) - f(1, 1)), 0.5 * (f(1, 0) + f(0, 1)));
  if (!(std::abs(b) < std::abs(a))) return input_error(where + " is mirrored or crushed flat; poses of sprites may not turn a handle over");
  const double angle = std::arg(a);
  const Vec3 place = f * pivot + handle.translation;
  return Polar{angle, std::abs(a), b * std::polar(1.0, -angle), {place.x(), place.y()}};
}

Result<std::vector<std::vector<int>>> simplices_of(const Settings& settings, std::span<const std::string> names) {
  std::vector<std::vector<int>> simplices;
  for (const std::vector<std::string>& named : settings.complex) {
    std::vector<int> simplex;
    for (const std::string& name : named) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        return input_error(fmt::format("/complex/{}: there is no pose \"{}\"{}", simplices.size(), name, suggestion(name, {names.begin(), names.end()}, fmt::format("; the drawing has {}", fmt::join(names, ", ")))));
      }
      simplex.push_back(static_cast<int>(found - names.begin()));
    }
    std::sort(simplex.begin(), simplex.end());
    if (std::adjacent_find(simplex.begin(), simplex.end()) != simplex.end()) return input_error(fmt::format("/complex/{}: names a pose twice", simplices.size()));
    simplices.push_back(std::move(simplex));
  }
  if (!simplices.empty()) return simplices;
  for (int k = 1; k < static_cast<int>(names.size()); ++k) simplices.push_back({0, k});
  if (simplices.empty()) simplices.push_back({0});
  return simplices;
}

/// Weights that sum to 1, and arms, of one block of particles.
Manifold::Block block_of(const Asset& drawing, size_t begin, size_t end) {
  Manifold::Block block{static_cast<Eigen::Index>(begin), {}, {}};
  for (size_t b = 0; b < drawing.handles.size(); ++b) {
    bool moves = false;
    for (size_t i = begin; i < end; ++i) moves = moves || drawing.weight(i, b) != 0;
    if (moves) block.handles.push_back(static_cast<int>(b));
  }
  block.basis.resize(static_cast<Eigen::Index>(end - begin), static_cast<Eigen::Index>(3 * block.handles.size()));
  for (size_t i = begin; i < end; ++i) {
    double sum = 0;
    for (const int b : block.handles) sum += double{drawing.weight(i, at(b))};
    for (size_t k = 0; k < block.handles.size(); ++k) {
      const Vec3 arm = drawing.surface.positions[i] - drawing.handles[at(block.handles[k])].position;
      const double w = double{drawing.weight(i, at(block.handles[k]))} / sum;
      block.basis.row(static_cast<Eigen::Index>(i - begin)).segment<3>(static_cast<Eigen::Index>(3 * k)) << w * arm.x(), w * arm.y(), w;
    }
  }
  return block;
}

std::vector<Manifold::Block> blocks_of(const Asset& drawing) {
  std::vector<Manifold::Block> blocks;
  const std::vector<int>& layer = drawing.flat->layer;
  for (size_t begin = 0, end; begin < layer.size(); begin = end) {
    end = begin;
    while (end < layer.size() && layer[end] == layer[begin]) ++end;
    blocks.push_back(block_of(drawing, begin, end));
  }
  return blocks;
}

/// A particle's row of N: w u, w u~ and w of each handle.
Eigen::VectorXcd row_of(const Manifold& m, size_t particle) {
  Eigen::VectorXcd row = Eigen::VectorXcd::Zero(3 * m.handles);
  const auto in = std::upper_bound(m.blocks.begin(), m.blocks.end(), static_cast<Eigen::Index>(particle), [](Eigen::Index i, const Manifold::Block& block) { return i < block.begin; }) - 1;
  for (size_t k = 0; k < in->handles.size(); ++k) {
    const auto own = in->basis.row(static_cast<Eigen::Index>(particle) - in->begin).segment<3>(static_cast<Eigen::Index>(3 * k));
    row.segment<3>(3 * in->handles[k]) << Complex(own[0], own[1]), Complex(own[0], -own[1]), own[2];
  }
  return row;
}

}  // namespace

Result<Manifold> make_manifold(const Asset& drawing, std::span<const double> masses, const Settings& settings, std::span<const std::string> names) {
  Manifold m;
  m.handles = static_cast<int>(drawing.handles.size()), m.poses = static_cast<int>(names.size());
  for (size_t k = 0; k < names.size(); ++k) {
    for (size_t b = 0; b < drawing.handles.size(); ++b) {
      const Result<Polar> polar = polar_of(drawing.examples[k].handles[b], drawing.handles[b].position, fmt::format(": handle \"{}\" of pose \"{}\"", drawing.handles[b].name, names[k]));
      if (!polar) return polar.error();
      m.angle.push_back(polar->angle), m.p.push_back(polar->p), m.s.push_back(polar->s), m.t.push_back(polar->t);
    }
  }
  Result<std::vector<std::vector<int>>> simplices = simplices_of(settings, names);
  if (!simplices) return simplices.error();
  for (const std::vector<int>& poses : *simplices) {
    Simplex simplex{poses, {}};
    for (const int k : poses) {
      for (int b = 0; b < m.handles; ++b) {
        const double first = m.angle[at(poses[0] * m.handles + b)];
        simplex.angle.push_back(first + wrapped(m.angle[at(k * m.handles + b)] - first));
      }
    }
    m.simplices.push_back(std::move(simplex));
  }
  m.blocks = blocks_of(drawing);
  m.mean = Eigen::VectorXcd::Zero(3 * m.handles);
  for (size_t i = 0; i < masses.size(); ++i) m.mean += masses[i] * row_of(m, i), m.mass += masses[i];
  m.mean /= m.mass;
  m.gram = Eigen::MatrixXcd::Zero(3 * m.handles, 3 * m.handles);
  for (size_t i = 0; i < masses.size(); ++i) {
    const Eigen::VectorXcd row = row_of(m, i) - m.mean;
    m.gram += masses[i] * row.conjugate() * row.transpose();
  }
  return m;
}

namespace {

/// Angles and stretches of a blend.
struct Blended {
  std::vector<double> angle, p;
  std::vector<Complex> s, t, turn;
};
void set_blended(const Manifold& m, int simplex, std::span<const double> a, Blended& blend) {
  const auto handles = at(m.handles);
  blend.angle.assign(handles, 0), blend.p.assign(handles, 0), blend.s.assign(handles, 0), blend.t.assign(handles, 0), blend.turn.resize(handles);
  const Simplex& in = m.simplices[at(simplex)];
  for (size_t j = 0; j < in.poses.size(); ++j) {
    const size_t first = at(in.poses[j]) * handles;
    for (size_t b = 0; b < handles; ++b) {
      blend.angle[b] += a[j] * in.angle[j * handles + b], blend.p[b] += a[j] * m.p[first + b];
      blend.s[b] += a[j] * m.s[first + b], blend.t[b] += a[j] * m.t[first + b];
    }
  }
  for (size_t b = 0; b < handles; ++b) blend.turn[b] = std::polar(1.0, blend.angle[b]);
}

void set_numbers(const Blended& blend, Eigen::VectorXcd& t) {
  t.resize(static_cast<Eigen::Index>(3 * blend.p.size()));
  for (size_t b = 0; b < blend.p.size(); ++b) {
    const auto row = static_cast<Eigen::Index>(3 * b);
    t[row] = blend.turn[b] * blend.p[b], t[row + 1] = blend.turn[b] * blend.s[b], t[row + 2] = blend.t[b];
  }
}

struct Scratch {
  Blended blend;
  Eigen::VectorXcd t, gt, pull, zs;
  Eigen::MatrixXcd slope, g_slope;
};

/// Weights of a simplex's own poses.
std::vector<double> own_weights(const Manifold& m, const Place& place) {
  std::vector<double> own;
  for (const int k : m.simplices[at(place.simplex)].poses) own.push_back(place.a[at(k)]);
  return own;
}

Place place_from(const Manifold& m, int simplex, std::span<const double> own) {
  Place place{simplex, std::vector<double>(at(m.poses), 0.0)};
  for (size_t j = 0; j < own.size(); ++j) place.a[at(m.simplices[at(simplex)].poses[j])] = own[j];
  return place;
}

}  // namespace

Eigen::VectorXcd blend(const Manifold& manifold, const Place& place) {
  Blended blended;
  Eigen::VectorXcd t;
  set_blended(manifold, place.simplex, own_weights(manifold, place), blended);
  set_numbers(blended, t);
  return t;
}

void pose_particles(const Manifold& manifold, const Place& place, std::span<Complex> positions) {
  const Eigen::VectorXcd t = blend(manifold, place);
  // A w u + B w u~ = (A + B) w u_x + i (A - B) w u_y, as real and imaginary parts.
  Eigen::MatrixX2d numbers, posed;
  for (const Manifold::Block& block : manifold.blocks) {
    numbers.resize(block.basis.cols(), 2);
    for (size_t k = 0; k < block.handles.size(); ++k) {
      const auto from = static_cast<Eigen::Index>(3 * block.handles[k]), to = static_cast<Eigen::Index>(3 * k);
      const Complex sum = t[from] + t[from + 1], difference = t[from] - t[from + 1];
      numbers.row(to) << sum.real(), sum.imag();
      numbers.row(to + 1) << -difference.imag(), difference.real();
      numbers.row(to + 2) << t[from + 2].real(), t[from + 2].imag();
    }
    posed.noalias() = block.basis.lazyProduct(numbers);
    for (Eigen::Index i = 0; i < posed.rows(); ++i) positions[at(block.begin + i)] = {posed(i, 0), posed(i, 1)};
  }
}

ShapeMoments moments_of(const Manifold& manifold, std::span<const double> masses, std::span<const Complex> shape) {
  Complex middle = 0;
  for (size_t i = 0; i < shape.size(); ++i) middle += masses[i] * shape[i];
  middle /= manifold.mass;
  ShapeMoments moments;
  moments.y = Eigen::VectorXcd::Zero(3 * manifold.handles);
  Eigen::MatrixX2d weighted, sums;
  for (const Manifold::Block& block : manifold.blocks) {
    weighted.resize(block.basis.rows(), 2);
    for (Eigen::Index i = 0; i < weighted.rows(); ++i) {
      const size_t k = at(block.begin + i);
      const Complex arm = shape[k] - middle;
      weighted.row(i) << masses[k] * arm.real(), masses[k] * arm.imag();
      moments.squares += masses[k] * std::norm(arm);
    }
    // The weighted shape has no mean, so that of the rows does not matter.
    sums.noalias() = block.basis.transpose().lazyProduct(weighted);
    for (size_t k = 0; k < block.handles.size(); ++k) {
      const auto from = static_cast<Eigen::Index>(3 * k), to = static_cast<Eigen::Index>(3 * block.handles[k]);
      const Complex along_x(sums(from, 0), sums(from, 1)), along_y(sums(from + 1, 0), sums(from + 1, 1)), i1(0, 1);
      moments.y[to] += along_x - i1 * along_y, moments.y[to + 1] += along_x + i1 * along_y, moments.y[to + 2] += Complex(sums(from + 2, 0), sums(from + 2, 1));
    }
  }
  return moments;
}

Cost cost_at(const Manifold& m, const ShapeMoments& shape, int simplex, std::span<const double> a, bool with_derivatives, const Complex* held) {
  thread_local Scratch scratch;  // small vectors, many times
  Blended& blend = scratch.blend;
  set_blended(m, simplex, a, blend);
  Eigen::VectorXcd &t = scratch.t, &gt = scratch.gt;
  set_numbers(blend, t);
  gt.noalias() = m.gram * t;
  const Complex z = t.dot(shape.y);  // conjugates the first
  const double size = std::max(std::abs(z), 1e-300);
  const Complex back = std::conj(held ? *held : z / size);  // the best rotation is eliminated: it is that of z
  Cost cost;
  cost.value = t.dot(gt).real() - 2 * (back * z).real() + shape.squares;
  if (!with_derivatives) return cost;
  const Simplex& in = m.simplices[at(simplex)];
  const size_t handles = at(m.handles), count = in.poses.size();
  // Derivatives of T by the weights but the first, which takes what the others leave. With differences d from the first pose, by weight j
  // u (dp_j + i dtheta_j p), by j and l u (i dtheta_j dp_l + i dtheta_l dp_j - dtheta_j dtheta_l p); the same with s; dt_j and 0.
  const auto free = static_cast<Eigen::Index>(count - 1);
  const size_t pose_0 = at(in.poses[0]) * handles;
  Eigen::MatrixXcd &slope = scratch.slope, &g_slope = scratch.g_slope;
  slope.resize(3 * m.handles, free), g_slope.resize(3 * m.handles, free);
  const std::vector<Complex>& turn = blend.turn;
  const auto angle = [&](size_t j, size_t b) { return in.angle[(j + 1) * handles + b] - in.angle[b]; };
  const auto pose_of = [&](size_t j) { return at(in.poses[j + 1]) * handles; };
  const Complex i1(0, 1);
  for (size_t j = 0; j + 1 < count; ++j) {
    for (size_t b = 0; b < handles; ++b) {
      const size_t pose = pose_of(j) + b;
      const Complex turning = i1 * angle(j, b);
      slope.col(static_cast<Eigen::Index>(j)).segment<3>(static_cast<Eigen::Index>(3 * b)) << turn[b] * (m.p[pose] - m.p[pose_0 + b] + turning * blend.p[b]),
          turn[b] * (m.s[pose] - m.s[pose_0 + b] + turning * blend.s[b]), m.t[pose] - m.t[pose_0 + b];
    }
  }
  Eigen::VectorXcd &zs = scratch.zs, &pull = scratch.pull;
  zs.resize(free), cost.gradient.resize(free), cost.hessian.resize(free, free);
  pull = gt - back * shape.y;  // what second derivatives are multiplied with
  for (Eigen::Index j = 0; j < free; ++j) {
    g_slope.col(j).noalias() = m.gram * slope.col(j);
    zs[j] = slope.col(j).dot(shape.y);
    cost.gradient[j] = 2 * slope.col(j).dot(pull).real();
  }
  for (Eigen::Index j = 0; j < free; ++j) {
    for (Eigen::Index l = 0; l <= j; ++l) {
      double curved = 0;
      for (size_t b = 0; b < handles; ++b) {
        const size_t pose_j = pose_of(at(j)) + b, pose_l = pose_of(at(l)) + b;
        const double tj = angle(at(j), b), tl = angle(at(l), b);
        const Complex p = turn[b] * Complex(-tj * tl * blend.p[b], tj * (m.p[pose_l] - m.p[pose_0 + b]) + tl * (m.p[pose_j] - m.p[pose_0 + b]));
        const Complex s = turn[b] * (i1 * (tj * (m.s[pose_l] - m.s[pose_0 + b]) + tl * (m.s[pose_j] - m.s[pose_0 + b])) - tj * tl * blend.s[b]);
        const auto row = static_cast<Eigen::Index>(3 * b);
        curved += (std::conj(p) * pull[row] + std::conj(s) * pull[row + 1]).real();
      }
      const double follows = held ? 0 : (back * zs[j]).imag() * (back * zs[l]).imag() / size;  // the rotation does
      cost.hessian(j, l) = cost.hessian(l, j) = 2 * (curved + slope.col(j).dot(g_slope.col(l)).real() - follows);
    }
  }
  return cost;
}

Complex rotation_at(const Manifold& manifold, const ShapeMoments& shape, const Place& place, Complex otherwise) {
  const Complex z = blend(manifold, place).dot(shape.y);
  return std::abs(z) > 1e-12 * shape.squares ? z / std::abs(z) : otherwise;  // a shape that is turned inside out has none
}

namespace {

struct Found {
  std::vector<double> a;  // of the simplex
  double value = 1e300;
  int steps = 0;
};

using CostOf = std::function<Cost(std::span<const double> a, bool with_derivatives)>;

/// Newton's step within a face of a simplex. Where the cost curves the wrong way, the size of the curvature tells how far to go down.
std::vector<double> way_along(const Cost& cost, const std::vector<size_t>& face, size_t poses) {
  // Directions along the face: each pose but its first against its first.
  const auto count = static_cast<Eigen::Index>(face.size()) - 1;
  Eigen::MatrixXd along = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(poses) - 1, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    if (face[at(j) + 1] > 0) along(static_cast<Eigen::Index>(face[at(j) + 1]) - 1, j) += 1;
    if (face[0] > 0) along(static_cast<Eigen::Index>(face[0]) - 1, j) -= 1;
  }
  const Eigen::VectorXd gradient = along.transpose() * cost.gradient;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(along.transpose() * cost.hessian * along);
  const double least = 1e-12 * std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 1e-300);
  const Eigen::VectorXd change = -along * (eigen.eigenvectors() * (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(least)));
  std::vector<double> way(poses, 0.0);
  for (size_t j = 1; j < poses; ++j) way[j] = change[static_cast<Eigen::Index>(j) - 1], way[0] -= way[j];
  return way;
}

/// Newton's method within a face of a simplex: the weights of the poses in `face` (their numbers within the simplex) may change, all others are 0.
/// Stops where it would leave the face.
Found newton(const CostOf& cost_of, std::vector<double> a, const std::vector<size_t>& face) {
  Found found;
  Cost cost = cost_of(a, true);
  for (int step = 0; step < kMaxNewton; ++step) {
    ++found.steps;
    std::vector<double> way(a.size(), 0.0);
    if (face.size() == 2) {  // along an edge, which is what most complexes are made of
      const auto slope = [&](size_t j) { return j == 0 ? 0.0 : cost.gradient[static_cast<Eigen::Index>(j) - 1]; };
      const auto curve = [&](size_t j, size_t l) { return j == 0 || l == 0 ? 0.0 : cost.hessian(static_cast<Eigen::Index>(j) - 1, static_cast<Eigen::Index>(l) - 1); };
      const double curvature = std::abs(curve(face[0], face[0]) + curve(face[1], face[1]) - 2 * curve(face[0], face[1]));
      way[face[1]] = -(slope(face[1]) - slope(face[0])) / std::max(curvature, 1e-300), way[face[0]] = -way[face[1]];
    } else {
      way = way_along(cost, face, a.size());
    }
    // As far as the face goes, and halved until the cost falls.
    double share = 1;
    for (const size_t j : face) {
      if (way[j] < 0) share = std::min(share, a[j] / -way[j]);
    }
    double longest = 0;
    for (const double w : way) longest = std::max(longest, std::abs(w));
    if (share * longest < kSettled) break;
    if (share == 1 && longest < kQuadratic) {  // the last step: what is left after it is no more than its square, less than costs can tell
      for (size_t j = 0; j < a.size(); ++j) a[j] = std::max(a[j] + way[j], 0.0);
      break;
    }
    bool is_lower = false;
    for (int halving = 0; halving < 30 && !is_lower; ++halving, share *= 0.5) {
      std::vector<double> next = a;
      for (size_t j = 0; j < a.size(); ++j) next[j] = std::max(a[j] + share * way[j], 0.0);
      double sum = 0;
      for (const double w : next) sum += w;
      for (double& w : next) w /= sum;
      Cost there = cost_of(next, true);  // the first is nearly always lower, and then its derivatives are needed
      is_lower = there.value < cost.value;
      if (is_lower) a = std::move(next), cost = std::move(there);
    }
    if (!is_lower) break;
  }
  found.a = std::move(a), found.value = cost.value;
  return found;
}

void better(Found& best, Found other) {
  other.steps += best.steps;
  if (other.value < best.value) {
    best = std::move(other);
  } else {
    best.steps = other.steps;
  }
}

/// The least cost within a closed simplex of `count` poses. From a start: inside first, then on the faces where it stopped.
Found minimize(const CostOf& cost_of, size_t count, const std::vector<std::vector<double>>& starts) {
  Found best;
  std::vector<size_t> all(count);
  for (size_t j = 0; j < count; ++j) all[j] = j;
  for (const std::vector<double>& start : starts) {
    if (count == 1) {
      better(best, {start, cost_of(start, false).value, 0});
      continue;
    }
    Found found = newton(cost_of, start, all);
    // A weight that came to 0 stays there while the others go on.
    for (size_t round = 0; round + 1 < count; ++round) {
      std::vector<size_t> face;
      for (size_t j = 0; j < count; ++j) {
        if (found.a[j] > kFace) face.push_back(j);
      }
      if (face.size() == count || face.size() < 2) break;
      better(found, newton(cost_of, found.a, face));
    }
    better(best, std::move(found));
  }
  return best;
}

std::vector<std::vector<double>> starts_of(size_t count) {
  std::vector<std::vector<double>> starts;
  const double share = 1.0 / static_cast<double>(count);
  starts.emplace_back(count, share);
  for (size_t j = 0; count > 1 && j < count; ++j) {
    starts.emplace_back(count, 0.1 / static_cast<double>(count - 1));
    starts.back()[j] = 0.9;
  }
  return starts;
}

/// Whether a simplex has all poses that a place uses.
bool holds(const Simplex& simplex, const Place& place) {
  for (size_t k = 0; k < place.a.size(); ++k) {
    if (place.a[k] > kFace && !std::binary_search(simplex.poses.begin(), simplex.poses.end(), static_cast<int>(k))) return false;
  }
  return true;
}

/// Whether a simplex has any of them.
bool touches(const Simplex& simplex, const Place& place) {
  return std::any_of(simplex.poses.begin(), simplex.poses.end(), [&](int k) { return place.a[at(k)] > kFace; });
}

/// Whether the cost rises from a place on a face, where the weights of all other poses are 0, into the simplex.
bool rises_inwards(const CostOf& cost_of, const std::vector<double>& start, std::span<const char> is_shared) {
  const Cost cost = cost_of(start, true);
  const auto slope = [&](size_t j) { return j == 0 ? 0.0 : cost.gradient[static_cast<Eigen::Index>(j) - 1]; };
  double shared = 0, along = 0;
  for (size_t j = 0; j < start.size(); ++j) {
    if (is_shared[j]) shared += start[j], along += start[j] * slope(j);
  }
  for (size_t j = 0; j < start.size(); ++j) {
    if (!is_shared[j] && slope(j) <= along / shared) return false;
  }
  return true;
}

/// The best place of all simplices, or of those around the last one.
template <class CostIn>
int project_by(const Manifold& m, const CostIn& cost_in, bool anywhere, double scale, Place& place) {
  int steps = 0;
  Place best;
  double least = 1e300, stays = 1e300;
  for (size_t s = 0; s < m.simplices.size(); ++s) {
    const bool is_last = static_cast<int>(s) == place.simplex;
    if (!anywhere && !is_last && !touches(m.simplices[s], place)) continue;
    const CostOf cost_of = [&](std::span<const double> a, bool with_derivatives) { return cost_in(static_cast<int>(s), a, with_derivatives); };
    const size_t count = m.simplices[s].poses.size();
    std::vector<std::vector<double>> starts;
    if (anywhere) {
      starts = starts_of(count);
    } else if (holds(m.simplices[s], place)) {
      // From where it is, a little inside, so that no face holds it back.
      std::vector<double> start = own_weights(m, {static_cast<int>(s), place.a});
      for (double& a : start) a = 0.98 * a + 0.02 / static_cast<double>(count);
      starts = {start};
    } else {
      std::vector<double> start(count, 0.02 / static_cast<double>(count));
      double used = 0;
      for (size_t j = 0; j < count; ++j) used += place.a[at(m.simplices[s].poses[j])];
      for (size_t j = 0; j < count; ++j) start[j] += 0.98 * place.a[at(m.simplices[s].poses[j])] / used;
      starts = {start};
    }
    if (!anywhere && !is_last) {  // nothing is to be found beyond a face from which all ways lead up
      std::vector<char> is_shared;
      std::vector<double> on_face = own_weights(m, {static_cast<int>(s), place.a});
      double used = 0;
      for (const double a : on_face) is_shared.push_back(a > kFace), used += a;
      for (double& a : on_face) a /= used;
      if (std::count(is_shared.begin(), is_shared.end(), 0) > 0 && rises_inwards(cost_of, on_face, is_shared)) {
        ++steps;
        continue;
      }
    }
    const Found found = minimize(cost_of, count, starts);
    steps += found.steps;
    if (is_last) stays = found.value;
    if (found.value < least) least = found.value, best = place_from(m, static_cast<int>(s), found.a);
  }
  // Equal costs must not make it flicker between simplices: they share the cost of the noise.
  if (!anywhere && best.simplex != place.simplex && !(least < stays - kBetter * stays - 1e-12 * scale)) {
    const CostOf cost_of = [&](std::span<const double> a, bool with_derivatives) { return cost_in(place.simplex, a, with_derivatives); };
    std::vector<double> start = own_weights(m, place);
    for (double& a : start) a = 0.98 * a + 0.02 / static_cast<double>(start.size());
    best = place_from(m, place.simplex, minimize(cost_of, start.size(), {start}).a);
  }
  place = best;
  return steps;
}

}  // namespace

int project(const Manifold& m, const ShapeMoments& shape, bool anywhere, Place& place) {
  return project_by(m, [&](int simplex, std::span<const double> a, bool with_derivatives) { return cost_at(m, shape, simplex, a, with_derivatives, nullptr); }, anywhere, shape.squares, place);
}

int project_alternating(const Manifold& m, const Representatives& some, std::span<const Complex> shape, bool anywhere, Place& place) {
  constexpr int kRounds = 60;
  // Rows and shape of the representatives, about their means.
  Manifold small;
  small.handles = m.handles, small.poses = m.poses, small.p = m.p, small.s = m.s, small.t = m.t, small.angle = m.angle, small.simplices = m.simplices;
  Eigen::VectorXcd mean = Eigen::VectorXcd::Zero(3 * m.handles);
  Complex middle = 0;
  double mass = 0;
  for (size_t k = 0; k < some.particles.size(); ++k) mean += some.masses[k] * row_of(m, at(some.particles[k])), middle += some.masses[k] * shape[at(some.particles[k])], mass += some.masses[k];
  mean /= mass, middle /= mass;
  small.gram = Eigen::MatrixXcd::Zero(3 * m.handles, 3 * m.handles);
  ShapeMoments moments;
  moments.y = Eigen::VectorXcd::Zero(3 * m.handles);
  for (size_t k = 0; k < some.particles.size(); ++k) {
    const Eigen::VectorXcd row = row_of(m, at(some.particles[k])) - mean;
    const Complex x = shape[at(some.particles[k])] - middle;
    small.gram += some.masses[k] * row.conjugate() * row.transpose(), moments.y += some.masses[k] * x * row.conjugate(), moments.squares += some.masses[k] * std::norm(x);
  }
  int steps = 0;
  Complex turn = rotation_at(small, moments, place, 1);
  for (int round = 0; round < kRounds; ++round) {
    const auto cost_in = [&](int simplex, std::span<const double> a, bool with_derivatives) { return cost_at(small, moments, simplex, a, with_derivatives, &turn); };
    const std::vector<double> before = place.a;
    steps += project_by(small, cost_in, anywhere && round == 0, moments.squares, place);
    const Complex next = rotation_at(small, moments, place, turn);
    double change = std::abs(next - turn);
    for (size_t k = 0; k < before.size(); ++k) change = std::max(change, std::abs(before[k] - place.a[k]));
    turn = next;
    if (change < 1e-9) break;
  }
  return steps;
}

Place place_of(const Manifold& m, std::span<const double> a) {
  Place place{-1, {a.begin(), a.end()}};
  for (size_t s = 0; s < m.simplices.size() && place.simplex < 0; ++s) {
    if (holds(m.simplices[s], place)) place.simplex = static_cast<int>(s);
  }
  return place;
}

namespace {

double length_of(std::span<const double> from, std::span<const double> to) {
  double sum = 0;
  for (size_t k = 0; k < from.size(); ++k) sum += std::abs(to[k] - from[k]);
  return 0.5 * sum;
}

/// Corners of the shortest way from a place to another: straight within a simplex, otherwise over poses that simplices share.
std::vector<std::vector<double>> way_between(const Manifold& m, const Place& from, const Place& to) {
  const auto has_both = [&](const Place& a, const Place& b) {
    return std::any_of(m.simplices.begin(), m.simplices.end(), [&](const Simplex& s) { return holds(s, a) && holds(s, b); });
  };
  if (has_both(from, to)) return {from.a, to.a};
  // Shortest paths over the poses, from the beginning.
  const size_t poses = at(m.poses);
  std::vector<double> length(poses, 1e300);
  std::vector<int> before(poses, -1);
  std::vector<char> done(poses, 0);
  const auto corner = [&](size_t k) {
    std::vector<double> a(poses, 0.0);
    a[k] = 1;
    return a;
  };
  for (size_t k = 0; k < poses; ++k) {
    if (has_both(from, {0, corner(k)})) length[k] = length_of(from.a, corner(k));
  }
  for (size_t round = 0; round < poses; ++round) {
    size_t nearest = poses;
    for (size_t k = 0; k < poses; ++k) {
      if (!done[k] && length[k] < 1e300 && (nearest == poses || length[k] < length[nearest])) nearest = k;
    }
    if (nearest == poses) break;
    done[nearest] = 1;
    for (const Simplex& s : m.simplices) {
      if (!std::binary_search(s.poses.begin(), s.poses.end(), static_cast<int>(nearest))) continue;
      for (const int k : s.poses) {
        if (length[nearest] + 1 < length[at(k)]) length[at(k)] = length[nearest] + 1, before[at(k)] = static_cast<int>(nearest);
      }
    }
  }
  int last = -1;
  double least = 1e300;
  for (size_t k = 0; k < poses; ++k) {
    if (length[k] < 1e300 && has_both(to, {0, corner(k)}) && length[k] + length_of(corner(k), to.a) < least) least = length[k] + length_of(corner(k), to.a), last = static_cast<int>(k);
  }
  if (last < 0) return {from.a};  // another part of the complex: there is no way
  std::vector<std::vector<double>> way = {to.a};
  for (int k = last; k >= 0; k = before[at(k)]) way.push_back(corner(at(k)));
  way.push_back(from.a);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

double distance(const Manifold& m, const Place& from, const Place& to) {
  const std::vector<std::vector<double>> way = way_between(m, from, to);
  double length = 0;
  for (size_t k = 0; k + 1 < way.size(); ++k) length += length_of(way[k], way[k + 1]);
  return way.size() < 2 ? 1e300 : length;
}

Place moved(const Manifold& m, const Place& from, const Place& to, double share) {
  if (!(share > 0)) return from;
  const std::vector<std::vector<double>> way = way_between(m, from, to);
  double length = 0;
  for (size_t k = 0; k + 1 < way.size(); ++k) length += length_of(way[k], way[k + 1]);
  double left = std::min(share, 1.0) * length;
  for (size_t k = 0; k + 1 < way.size(); ++k) {
    const double step = length_of(way[k], way[k + 1]);
    if (left > step && k + 2 < way.size()) {
      left -= step;
      continue;
    }
    std::vector<double> a = way[k];
    const double part = step > 0 ? std::min(left / step, 1.0) : 1.0;
    for (size_t j = 0; j < a.size(); ++j) a[j] += part * (way[k + 1][j] - a[j]);
    Place place = place_of(m, a);
    // It stays in its simplex where that holds it as well.
    if (from.simplex >= 0 && holds(m.simplices[at(from.simplex)], place)) place.simplex = from.simplex;
    return place.simplex < 0 ? from : place;
  }
  return from;
}

}  // namespace crumple::sprites
