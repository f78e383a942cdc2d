#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crumple::generator {

inline double radians(double degrees) {
  return degrees * std::numbers::pi / 180.0;
}

/// From 0 at 0 to 1 at 1: straight, with both ends rounded over this part of the way. As smooth (C1) as a cubic step, but a
/// blend along it folds like sheet metal, flat with narrow creases, where a cubic bends like clay.
inline double rounded_ramp(double t, double rounding = 0.16) {
  t = std::clamp(t, 0.0, 1.0);
  if (t > 0.5) return 1.0 - rounded_ramp(1.0 - t, rounding);
  const double slope = 1.0 / (1.0 - rounding);
  return t < rounding ? slope * t * t / (2.0 * rounding) : slope * (t - rounding / 2.0);
}

/// 1 at 0, 0 from -1 and 1 outwards; hats one apart sum to 1.
inline double hat(double t) {
  return 1.0 - rounded_ramp(std::abs(t));
}

/// A hat around the circle for one of `count` evenly spaced places, `angle` away from it (radians).
inline double circular_hat(double angle, int count) {
  const double turn = 2.0 * std::numbers::pi;
  return hat(std::remainder(angle, turn) * count / turn);
}

}  // namespace crumple::generator
