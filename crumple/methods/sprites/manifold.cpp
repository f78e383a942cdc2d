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
  const std::vector<Vec3>& rest = drawing.surface.positions;
  m.rows.resize(static_cast<Eigen::Index>(rest.size()), 3 * m.handles);
  m.mean = Eigen::VectorXcd::Zero(3 * m.handles);
  for (size_t i = 0; i < rest.size(); ++i) {
    double sum = 0;
    for (int b = 0; b < m.handles; ++b) sum += double{drawing.weight(i, at(b))};
    for (int b = 0; b < m.handles; ++b) {
      const Vec3 arm = rest[i] - drawing.handles[at(b)].position;
      const Complex u(arm.x(), arm.y());
      const double w = double{drawing.weight(i, at(b))} / sum;
      const auto row = static_cast<Eigen::Index>(i);
      m.rows(row, 3 * b) = w * u, m.rows(row, 3 * b + 1) = w * std::conj(u), m.rows(row, 3 * b + 2) = w;
    }
    m.mean += masses[i] * m.rows.row(static_cast<Eigen::Index>(i)).transpose(), m.mass += masses[i];
  }
  m.mean /= m.mass;
  m.gram = Eigen::MatrixXcd::Zero(3 * m.handles, 3 * m.handles);
  for (Eigen::Index i = 0; i < m.rows.rows(); ++i) {
    const Eigen::VectorXcd row = m.rows.row(i).transpose() - m.mean;
    m.gram += masses[at(i)] * row.conjugate() * row.transpose();
  }
  return m;
}

namespace {

/// Angles and stretches of a blend.
struct Blended {
  std::vector<double> angle, p;
  std::vector<Complex> s, t;
};
Blended blended(const Manifold& m, int simplex, std::span<const double> a) {
  const auto handles = at(m.handles);
  Blended blend{std::vector<double>(handles, 0), std::vector<double>(handles, 0), std::vector<Complex>(handles, 0), std::vector<Complex>(handles, 0)};
  const Simplex& in = m.simplices[at(simplex)];
  for (size_t j = 0; j < in.poses.size(); ++j) {
    const size_t first = at(in.poses[j]) * handles;
    for (size_t b = 0; b < handles; ++b) {
      blend.angle[b] += a[j] * in.angle[j * handles + b], blend.p[b] += a[j] * m.p[first + b];
      blend.s[b] += a[j] * m.s[first + b], blend.t[b] += a[j] * m.t[first + b];
    }
  }
  return blend;
}

Eigen::VectorXcd numbers_of(const Blended& blend) {
  Eigen::VectorXcd t(static_cast<Eigen::Index>(3 * blend.p.size()));
  for (size_t b = 0; b < blend.p.size(); ++b) {
    const Complex turn = std::polar(1.0, blend.angle[b]);
    const auto row = static_cast<Eigen::Index>(3 * b);
    t[row] = turn * blend.p[b], t[row + 1] = turn * blend.s[b], t[row + 2] = blend.t[b];
  }
  return t;
}

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
  return numbers_of(blended(manifold, place.simplex, own_weights(manifold, place)));
}

void pose_particles(const Manifold& manifold, const Place& place, std::span<Complex> positions) {
  const Eigen::VectorXcd t = blend(manifold, place);
  Eigen::Map<Eigen::VectorXcd>(positions.data(), static_cast<Eigen::Index>(positions.size())).noalias() = manifold.rows * t;
}

ShapeMoments moments_of(const Manifold& manifold, std::span<const double> masses, std::span<const Complex> shape) {
  Complex middle = 0;
  for (size_t i = 0; i < shape.size(); ++i) middle += masses[i] * shape[i];
  middle /= manifold.mass;
  ShapeMoments moments;
  Eigen::VectorXcd weighted(static_cast<Eigen::Index>(shape.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    weighted[static_cast<Eigen::Index>(i)] = masses[i] * (shape[i] - middle);
    moments.squares += masses[i] * std::norm(shape[i] - middle);
  }
  // The weighted shape has no mean, so that of the rows does not matter.
  moments.y.noalias() = manifold.rows.adjoint() * weighted;
  return moments;
}

Cost cost_at(const Manifold& m, const ShapeMoments& shape, int simplex, std::span<const double> a, bool with_derivatives, const Complex* held) {
  const Blended blend = blended(m, simplex, a);
  const Eigen::VectorXcd t = numbers_of(blend), gt = m.gram * t;
  const Complex z = t.dot(shape.y);  // conjugates the first
  const double size = std::max(std::abs(z), 1e-300);
  const Complex back = std::conj(held ? *held : z / size);  // the best rotation is eliminated: it is that of z
  Cost cost;
  cost.value = t.dot(gt).real() - 2 * (back * z).real() + shape.squares;
  if (!with_derivatives) return cost;
  const Simplex& in = m.simplices[at(simplex)];
  const size_t handles = at(m.handles), count = in.poses.size();
  // Derivatives of T by each weight: u (p_k + i theta_k p), the same with s, t_k.
  std::vector<Eigen::VectorXcd> first(count, Eigen::VectorXcd(3 * m.handles));
  const Complex i1(0, 1);
  const auto turn_of = [&](size_t b) { return std::polar(1.0, blend.angle[b]); };
  for (size_t j = 0; j < count; ++j) {
    const size_t pose = at(in.poses[j]) * handles;
    for (size_t b = 0; b < handles; ++b) {
      const auto row = static_cast<Eigen::Index>(3 * b);
      const double angle = in.angle[j * handles + b];
      first[j][row] = turn_of(b) * (m.p[pose + b] + i1 * angle * blend.p[b]);
      first[j][row + 1] = turn_of(b) * (m.s[pose + b] + i1 * angle * blend.s[b]);
      first[j][row + 2] = m.t[pose + b];
    }
  }
  const auto second = [&](size_t j, size_t l) {
    Eigen::VectorXcd both(3 * m.handles);
    const size_t pose_j = at(in.poses[j]) * handles, pose_l = at(in.poses[l]) * handles;
    for (size_t b = 0; b < handles; ++b) {
      const auto row = static_cast<Eigen::Index>(3 * b);
      const double tj = in.angle[j * handles + b], tl = in.angle[l * handles + b];
      both[row] = turn_of(b) * (i1 * tj * m.p[pose_l + b] + i1 * tl * m.p[pose_j + b] - tj * tl * blend.p[b]);
      both[row + 1] = turn_of(b) * (i1 * tj * m.s[pose_l + b] + i1 * tl * m.s[pose_j + b] - tj * tl * blend.s[b]);
      both[row + 2] = 0;
    }
    return both;
  };
  // By the weights but the first, which takes what the others leave.
  const auto free = static_cast<Eigen::Index>(count - 1);
  cost.gradient.setZero(free), cost.hessian.setZero(free, free);
  std::vector<Eigen::VectorXcd> slope, g_slope;
  std::vector<Complex> zs;
  for (size_t j = 1; j < count; ++j) {
    slope.push_back(first[j] - first[0]), g_slope.push_back(m.gram * slope.back());
    zs.push_back(slope.back().dot(shape.y));
  }
  for (Eigen::Index j = 0; j < free; ++j) {
    cost.gradient[j] = 2 * slope[at(j)].dot(gt).real() - 2 * (back * zs[at(j)]).real();
    for (Eigen::Index l = 0; l <= j; ++l) {
      const Eigen::VectorXcd both = second(at(j) + 1, at(l) + 1) - second(at(j) + 1, 0) - second(0, at(l) + 1) + second(0, 0);
      const Complex zjl = both.dot(shape.y);
      const double follows = held ? 0 : (back * zs[at(j)]).imag() * (back * zs[at(l)]).imag() / size;  // the rotation does
      cost.hessian(j, l) = cost.hessian(l, j) = 2 * (both.dot(gt) + slope[at(j)].dot(g_slope[at(l)])).real() - 2 * (back * zjl).real() - 2 * follows;
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

/// Newton's method within a face of a simplex: the weights of the poses in `face` (their numbers within the simplex) may change, all others are 0.
/// Stops where it would leave the face.
Found newton(const CostOf& cost_of, std::vector<double> a, const std::vector<size_t>& face) {
  Found found;
  Cost cost = cost_of(a, true);
  for (int step = 0; step < kMaxNewton; ++step) {
    ++found.steps;
    // Directions along the face: each pose but its first against its first.
    const auto count = static_cast<Eigen::Index>(face.size()) - 1;
    Eigen::MatrixXd along = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(a.size()) - 1, count);
    for (Eigen::Index j = 0; j < count; ++j) {
      if (face[at(j) + 1] > 0) along(static_cast<Eigen::Index>(face[at(j) + 1]) - 1, j) += 1;
      if (face[0] > 0) along(static_cast<Eigen::Index>(face[0]) - 1, j) -= 1;
    }
    const Eigen::VectorXd gradient = along.transpose() * cost.gradient;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(along.transpose() * cost.hessian * along);
    // Where it curves the wrong way, the size of the curvature tells how far to go down.
    const double least = 1e-12 * std::max(eigen.eigenvalues().cwiseAbs().maxCoeff(), 1e-300);
    const Eigen::VectorXd change = -along * (eigen.eigenvectors() * (eigen.eigenvectors().transpose() * gradient).cwiseQuotient(eigen.eigenvalues().cwiseAbs().cwiseMax(least)));
    std::vector<double> way(a.size(), 0.0);
    for (size_t j = 1; j < a.size(); ++j) way[j] = change[static_cast<Eigen::Index>(j) - 1], way[0] -= way[j];
    // As far as the face goes, and halved until the cost falls.
    double share = 1;
    for (const size_t j : face) {
      if (way[j] < 0) share = std::min(share, a[j] / -way[j]);
    }
    double longest = 0;
    for (const double w : way) longest = std::max(longest, std::abs(w));
    if (share * longest < kSettled) break;
    bool is_lower = false;
    for (int halving = 0; halving < 30 && !is_lower; ++halving, share *= 0.5) {
      std::vector<double> next = a;
      for (size_t j = 0; j < a.size(); ++j) next[j] = std::max(a[j] + share * way[j], 0.0);
      double sum = 0;
      for (const double w : next) sum += w;
      for (double& w : next) w /= sum;
      const double value = cost_of(next, false).value;
      is_lower = value < cost.value;
      if (is_lower) a = next;
    }
    if (!is_lower) break;
    cost = cost_of(a, true);
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
  for (size_t k = 0; k < some.particles.size(); ++k) mean += some.masses[k] * m.rows.row(some.particles[k]).transpose(), middle += some.masses[k] * shape[at(some.particles[k])], mass += some.masses[k];
  mean /= mass, middle /= mass;
  small.gram = Eigen::MatrixXcd::Zero(3 * m.handles, 3 * m.handles);
  ShapeMoments moments;
  moments.y = Eigen::VectorXcd::Zero(3 * m.handles);
  for (size_t k = 0; k < some.particles.size(); ++k) {
    const Eigen::VectorXcd row = m.rows.row(some.particles[k]).transpose() - mean;
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
