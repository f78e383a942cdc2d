#pragma once

#include "crumple/math/types.h"

namespace crumple {

/// A number as a file in single precision holds it. GCC 12 takes static_cast<double>(static_cast<float>(x)) for x itself where it works
/// on two numbers at a time (found at -O2, with and without Eigen); what is volatile it really rounds.
inline double to_single(double number) {
  const volatile float rounded = static_cast<float>(number);
  return rounded;
}
inline Vec3 to_single(const Vec3& point) {
  return Vec3(to_single(point.x()), to_single(point.y()), to_single(point.z()));
}

}  // namespace crumple
