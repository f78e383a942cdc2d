#pragma once

#include "crumple/math/types.h"

#include <algorithm>

// Measures of the crane, with the ground at y = 0 and the axis of the tower at x = z = 0.
namespace crumple::generator::crane {

inline constexpr double kBaseHalf = 2.3, kTowerHalf = 0.8, kTowerFoot = 0.55, kTowerBay = 1.5;
inline constexpr int kTowerBays = 11, kJibBays = 13;
inline constexpr double kTowerTop = kTowerFoot + kTowerBay * kTowerBays;  // 17.05
inline constexpr double kPeak = kTowerTop + 5.0;
inline constexpr double kJibLow = kTowerTop + 0.75, kJibHalf = 0.65, kJibRoot = 1.4, kJibTip = 20.9;
inline constexpr double kJibBend = 12.0;  // from here on it tapers
inline constexpr double kJibTies[] = {8.15, 15.65};
inline constexpr double kCounterLength = 7.6, kCounterTie = -6.4;
inline constexpr double kTrolley = 12.4;

/// Height of the upper chord of the jib, which comes down towards the tip.
inline double jib_top(double x) {
  return kJibLow + 1.15 - 0.55 * std::clamp((x - kJibBend) / (kJibTip - kJibBend), 0.0, 1.0);
}

/// The middle of the box around the crane: the origin of the asset.
inline const Vec3 kMiddle((kJibTip - kCounterLength) / 2, (kPeak + 0.25) / 2, 0);

}  // namespace crumple::generator::crane
