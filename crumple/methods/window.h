#pragma once

#include <algorithm>
#include <cmath>

namespace crumple {

/// Time over which impulses are summed where neither the step nor the number of contacts may decide, s.
inline constexpr double kWindow = 1.0 / 60.0;

/// How the steps of the window are kept: so many places, each of so many steps. Steps shorter than 1/3840 s share places.
struct Window {
  int places, steps;
};
inline constexpr int kMaxPlaces = 64;

inline Window window_of(double dt) {
  const double steps = std::clamp(std::round(kWindow / dt), 1.0, 1e9);
  const int per_place = static_cast<int>(std::ceil(steps / kMaxPlaces));
  return {static_cast<int>(std::ceil(steps / per_place)), per_place};
}

}  // namespace crumple
