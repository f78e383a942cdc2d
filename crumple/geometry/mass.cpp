#include "crumple/geometry/mass.h"

#include <array>
#include <cassert>
#include <cmath>

#include <Eigen/LU>

#include "crumple/core/wide.h"

namespace crumple {

namespace {

constexpr size_t kLanes = 8;

/// Sums of m, m p and m p p^T over points, relative to `base`: eight running sums at a time, added up in a fixed order.
CRUMPLE_WIDE void moments(const float* p, const double* m, size_t count, const double* base, double* sums) {
  double lanes[10][kLanes] = {};
  for (size_t i = 0; i + kLanes <= count; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const double mass = m[i + l];
      const double x = p[3 * (i + l)] - base[0], y = p[3 * (i + l) + 1] - base[1], z = p[3 * (i + l) + 2] - base[2];
      const double mx = mass * x, my = mass * y, mz = mass * z;
      lanes[0][l] += mass, lanes[1][l] += mx, lanes[2][l] += my, lanes[3][l] += mz;
      lanes[4][l] += mx * x, lanes[5][l] += my * y, lanes[6][l] += mz * z;
      lanes[7][l] += mx * y, lanes[8][l] += my * z, lanes[9][l] += mz * x;
    }
  }
  for (size_t k = 0; k < 10; ++k) {
    sums[k] = 0;
    for (const double lane : lanes[k]) sums[k] += lane;
  }
  for (size_t i = count - count % kLanes; i < count; ++i) {
    const double x = p[3 * i] - base[0], y = p[3 * i + 1] - base[1], z = p[3 * i + 2] - base[2];
    sums[0] += m[i], sums[1] += m[i] * x, sums[2] += m[i] * y, sums[3] += m[i] * z;
    sums[4] += m[i] * x * x, sums[5] += m[i] * y * y, sums[6] += m[i] * z * z;
    sums[7] += m[i] * x * y, sums[8] += m[i] * y * z, sums[9] += m[i] * z * x;
  }
}

}  // namespace

PointMassProperties mass_of_points(std::span<const Vec3f> positions, std::span<const double> masses) {
  assert(positions.size() == masses.size());
  PointMassProperties result;
  if (positions.empty()) return result;
  // Moments about the first point, not the origin: a body far from its own origin keeps its digits.
  const Vec3 base = positions[0].cast<double>();
  std::array<double, 10> sums;
  moments(positions[0].data(), masses.data(), positions.size(), base.data(), sums.data());
  const double m = result.mass = sums[0];
  if (!(m > 0)) return result;
  const Vec3 c = Vec3(sums[1], sums[2], sums[3]) / m;
  const double xx = sums[4] - m * c.x() * c.x(), yy = sums[5] - m * c.y() * c.y(), zz = sums[6] - m * c.z() * c.z();
  const double xy = sums[7] - m * c.x() * c.y(), yz = sums[8] - m * c.y() * c.z(), zx = sums[9] - m * c.z() * c.x();
  result.center = base + c;
  result.inertia << yy + zz, -xy, -zx, -xy, zz + xx, -yz, -zx, -yz, xx + yy;
  return result;
}

PrincipalFrame principal_frame(const Mat3& inertia, const Mat3& start) {
  Mat3 axes = start;
  Mat3 a = start.transpose() * inertia * start;
  const double scale = a.diagonal().cwiseAbs().maxCoeff();
  for (int sweep = 0; sweep < 20; ++sweep) {
    const double off = std::abs(a(0, 1)) + std::abs(a(1, 2)) + std::abs(a(2, 0));
    if (off <= 1e-15 * scale) break;
    for (const auto& [p, q] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
      if (a(p, q) == 0) continue;
      // The smaller of the two angles that clear a(p, q): at most 45 degrees.
      const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
      const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
      const double c = 1 / std::sqrt(t * t + 1), s = t * c;
      Mat3 turn = Mat3::Identity();
      turn(p, p) = c, turn(q, q) = c, turn(p, q) = s, turn(q, p) = -s;
      a = turn.transpose() * a * turn;
      axes = axes * turn;
    }
  }
  // Many small turns leave a trace of rounding; one Gram-Schmidt pass keeps the frame orthonormal for ever.
  axes.col(0).normalize();
  axes.col(1) = (axes.col(1) - axes.col(0) * axes.col(0).dot(axes.col(1))).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return {axes, (axes.transpose() * inertia * axes).diagonal()};
}

}  // namespace crumple
