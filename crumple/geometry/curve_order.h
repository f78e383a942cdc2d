#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// Numbers of points in an order in which those that follow each other mostly lie near each other: along the curve of Morton [1966] through the cube
/// around them. What works on neighbours then works on memory that is near. Points in the same place keep their order; all must be finite.
std::vector<int> curve_order(std::span<const Vec3> points);

}  // namespace crumple
