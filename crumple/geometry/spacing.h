#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// How near points are to each other.
struct Spacing {
  double usual = 0;    // m: median distance to the nearest other
  double least = 0;    // m: of any two
  int a = -1, b = -1;  // those two
};
/// Needs two points or more, all finite.
Spacing measure_spacing(std::span<const Vec3> points);

}  // namespace crumple
