#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/orientation.h"
#include "crumple/math/types.h"

namespace crumple {

/// A closed line through points, by their numbers; the last is joined to the first.
using Ring = std::vector<int>;

/// Triangles over a polygon: the first ring runs around it counter-clockwise, the others around its holes clockwise. Rings may touch themselves and
/// each other. Every edge of a ring is a side of one triangle and all other sides lie in pairs back to back, whatever the rings: if they cross, the
/// triangles overlap or lie face down in places, but their area is still that of the rings.
std::vector<Triangle> triangulate_polygon(std::span<const Vec2> points, std::span<const Ring> rings);

/// Twice the area that a ring runs around counter-clockwise.
double doubled_area(std::span<const Vec2> points, const Ring& ring);

}  // namespace crumple
