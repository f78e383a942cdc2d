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

}  // namespace

Eigen::VectorXcd row_of(const Manifold& m, size_t particle) {
  Eigen::VectorXcd row = Eigen::VectorXcd::Zero(3 * m.handles);
  const auto in = std::upper_bound(m.blocks.begin(), m.blocks.end(), static_cast<Eigen::Index>(particle), [](Eigen::Index i, const Manifold::Block& block) { return i < block.begin; }) - 1;
  for (size_t k = 0; k < in->handles.size(); ++k) {
    const auto own = in->basis.row(static_cast<Eigen::Index>(particle) - in->begin).segment<3>(static_cast<Eigen::Index>(3 * k));
    row.segment<3>(3 * in->handles[k]) << Complex(own[0], own[1]), Complex(own[0], -own[1]), own[2];
  }
  return row;
}

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


}  // namespace

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

}  // namespace crumple::sprites
