#pragma once

#include <cstdint>

#include "crumple/math/types.h"

namespace crumple {

/// Smooth noise from -1 to 1, with features about as wide as 1; 0 on average. The same for the same place and seed.
double value_noise(const Vec3& place, uint32_t seed);

}  // namespace crumple
