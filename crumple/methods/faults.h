#pragma once

#include <string>

#include <fmt/format.h>

namespace crumple {

inline constexpr double kFastest = 2000;  // m/s: faster than any wreck; a body that reaches it is frozen
inline constexpr double kFarthest = 1e6;  // m from the origin: likewise

/// What is wrong with something that moves like this; empty if nothing is.
inline std::string runaway(double speed, double distance) {
  return speed <= kFastest && distance <= kFarthest ? "" : fmt::format("it moved at {:.0f} m/s, {:.0f} m from the origin", speed, distance);
}

}  // namespace crumple
