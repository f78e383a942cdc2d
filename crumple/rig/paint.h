#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "crumple/rig/asset.h"

namespace crumple {

/// Painted factors where they act, on the tetrahedra's vertices. An empty one is 1 everywhere.
struct PaintedFactors {
  std::vector<float> yield, gain, radius, strength, toughness, stiffness, flow;  // #vertices or empty
};

/// A factor inside a triangle, from those of its corners; never beyond them, and exactly theirs where they agree.
inline double factor_at(std::span<const float> factors, const Triangle& triangle, const Vec3& barycentric) {
  const double a = factors[static_cast<size_t>(triangle[0])], b = factors[static_cast<size_t>(triangle[1])],
               c = factors[static_cast<size_t>(triangle[2])];
  return std::clamp(a + barycentric[1] * (b - a) + barycentric[2] * (c - a), std::min({a, b, c}), std::max({a, b, c}));
}

/// Maps painted on `surface`, at other points, such as the vertices of its tetrahedra or of a repaired copy: what the nearest point of
/// the surface has, blended between the corners of its triangle.
std::vector<PaintedMap> maps_on_points(std::span<const PaintedMap> maps, const TriMesh& surface, std::span<const Vec3> points);

PaintedFactors painted_factors(const Asset& asset);

}  // namespace crumple
