#pragma once

#include "crumple/math/types.h"

namespace crumple {

/// A point as a file in single precision holds it. Number by number, because Eigen 3.4 takes cast<float>().cast<double>() in one
/// expression for no change at all where it works on two numbers at a time.
inline Vec3 to_single(const Vec3& point) {
  return Vec3(static_cast<float>(point.x()), static_cast<float>(point.y()), static_cast<float>(point.z()));
}

}  // namespace crumple
