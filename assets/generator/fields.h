#pragma once

#include "crumple/math/types.h"

#include <algorithm>
#include <cmath>

/// Distances to simple bodies, negative inside, and ways to put them together.
namespace crumple::generator {

inline double ball(const Vec3& p, const Vec3& middle, double radius) {
  return (p - middle).norm() - radius;
}

/// Exact on the surface and near it right in size.
inline double ellipsoid(const Vec3& p, const Vec3& middle, const Vec3& radii) {
  const Vec3 from = p - middle;
  const double out = from.cwiseQuotient(radii).norm(), slope = from.cwiseQuotient(radii.cwiseProduct(radii)).norm();
  return slope > 0 ? out * (out - 1) / slope : -radii.minCoeff();
}

/// Two balls and the cone between them, nearly: the radius changes along the way.
inline double limb(const Vec3& p, const Vec3& from, const Vec3& to, double radius_from, double radius_to) {
  const Vec3 way = to - from;
  const double t = std::clamp((p - from).dot(way) / way.squaredNorm(), 0.0, 1.0);
  return (p - from - t * way).norm() - (radius_from + t * (radius_to - radius_from));
}

/// The union of two bodies with a fillet about as wide as `width`.
inline double blend(double a, double b, double width) {
  const double t = std::max(width - std::abs(a - b), 0.0) / width;
  return std::min(a, b) - 0.25 * t * t * width;
}
/// What they have in common, with rounded edges.
inline double common(double a, double b, double width) {
  return -blend(-a, -b, width);
}
/// The first without the second.
inline double without(double a, double b, double width) {
  return common(a, -b, width);
}

/// Paints one colour over another where a distance is negative; over `width` they run into each other.
inline Vec3f paint_where(double distance, double width, const Vec3f& over, const Vec3f& under) {
  const auto share = static_cast<float>(std::clamp(0.5 - distance / width, 0.0, 1.0));
  return under + share * (over - under);
}

}  // namespace crumple::generator
