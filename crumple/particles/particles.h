#pragma once

#include <cstdint>
#include <span>

#include "crumple/math/types.h"

namespace crumple::particles {

using Vec4f = Eigen::Vector4f;  // three components and one of padding; the fourth is documented where it is used

/// The particles of one body as used by clamps, contact and search, for any method. Positions are relative to `origin`, which is fixed in the
/// world: floats are accurate near it.
struct ParticleSpan {
  Vec3 origin = Vec3::Zero();
  double unit = 1;                   // kg: unit of mass
  double spacing = 0;                // m, between neighbours
  std::span<Vec4f> positions;        // the fourth is 0 for held particles, otherwise 1
  std::span<Vec4f> velocities;       // #particles
  std::span<const float> mass;       // #particles, units
  std::span<const int32_t> held;     // #particles: clamp that holds it, -1 free
  std::span<const int32_t> is_there; // #particles: 0 for removed particles

  size_t size() const { return positions.size(); }
};

}  // namespace crumple::particles
