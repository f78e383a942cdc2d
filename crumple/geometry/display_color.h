#pragma once

#include <algorithm>
#include <cmath>

namespace crumple {

/// Light from a screen's value (sRGB), both 0 .. 1.
inline float linear_from_display(double value) {
  return static_cast<float>(value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
}

/// A screen's value from light.
inline double display_from_linear(float linear) {
  const double value = std::clamp(double{linear}, 0.0, 1.0);
  return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

}  // namespace crumple
