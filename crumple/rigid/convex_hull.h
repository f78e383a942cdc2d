#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple::rigid {

struct ConvexHull {
  std::vector<int> vertices;    // indices of the extreme points, ascending
  std::vector<Triangle> faces;  // indices into the points, counter-clockwise from outside
};

/// The hull to within 1/10000 of the points' extent: what sticks out less may be left out. Flat point sets give few or no faces.
ConvexHull convex_hull(std::span<const Vec3> points);

/// m^3 inside the hull of these points.
double volume(const ConvexHull& hull, std::span<const Vec3> points);

/// Flags points until no other stands out of the hull of the flagged ones by more than `slack`; all extreme points if that is 0.
void flag_outline(std::span<const Vec3> points, double slack, std::span<uint8_t> flags);

}  // namespace crumple::rigid
