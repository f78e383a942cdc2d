#include "crumple/geometry/mass.h"

#include <cmath>

#include <Eigen/LU>

namespace crumple {

PointMassProperties mass_of_points(std::span<const Vec3f> positions, std::span<const double> masses) {
  PointMassProperties result;
  // Moments about the first point, not the origin: a body far from its own origin keeps its digits.
  const Vec3 base = positions.empty() ? Vec3::Zero() : Vec3(positions[0].cast<double>());
  Vec3 first = Vec3::Zero();
  double xx = 0, yy = 0, zz = 0, xy = 0, yz = 0, zx = 0;
  for (size_t i = 0; i < positions.size(); ++i) {
    const double m = masses[i];
    const double x = positions[i][0] - base[0], y = positions[i][1] - base[1], z = positions[i][2] - base[2];
    result.mass += m;
    first += m * Vec3(x, y, z);
    xx += m * x * x, yy += m * y * y, zz += m * z * z;
    xy += m * x * y, yz += m * y * z, zx += m * z * x;
  }
  if (!(result.mass > 0)) return result;
  const Vec3 c = first / result.mass;
  const double m = result.mass;
  xx -= m * c.x() * c.x(), yy -= m * c.y() * c.y(), zz -= m * c.z() * c.z();
  xy -= m * c.x() * c.y(), yz -= m * c.y() * c.z(), zx -= m * c.z() * c.x();
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
