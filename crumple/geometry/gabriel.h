#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// Pairs of points with no other point in the ball between them, ascending: neighbours whose Voronoi cells touch in the middle between them. Only the
/// nearest few of each point are candidates, which are all of them unless the density jumps. [Gabriel and Sokal 1969]
std::vector<std::array<int32_t, 2>> gabriel_pairs(std::span<const Vec3> points, double spacing);

}  // namespace crumple
