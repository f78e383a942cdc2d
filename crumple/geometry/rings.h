#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/triangulate.h"

namespace crumple {

/// A directed edge between two points, by their numbers.
using DirectedEdge = std::array<int, 2>;

/// Takes edges that have the inside on their left apart into closed rings. As many edges must lead to every point as away from it. Where several meet
/// in a point, a ring goes on along the inside, so that rings touch but do not cross.
std::vector<Ring> trace_rings(std::span<const Vec2> points, std::span<const DirectedEdge> edges);

/// Whether two sides of a ring meet that are not neighbours.
bool meets_itself(std::span<const Vec2> points, const Ring& ring);

/// A polygon with holes.
struct PlanarRegion {
  std::vector<Ring> rings;  // the outer one first
  bool turned = false;      // a hole in nothing: its rings have been turned, and its triangles must be
};

/// Puts holes (rings that run clockwise) into the smallest ring around them: first into one of the same group, otherwise into any that they do not
/// cross. Rings of different groups may overlap; each then is a region of its own. Together the regions have the area of the rings.
std::vector<PlanarRegion> nest_rings(std::span<const Vec2> points, std::vector<Ring> rings, std::span<const int> groups);

}  // namespace crumple
