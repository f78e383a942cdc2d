#pragma once

#include <cstdint>
#include <span>

#include "crumple/math/types.h"

namespace crumple::particles {

using Vec4f = Eigen::Vector4f;  // three numbers and one to fill a register; what the fourth means is said where it means something

/// The particles of one body as clamps, contact and search see them, whatever method moves them. Places are from `origin`, which stays in the world:
/// floats are fine near to it.
struct ParticleSpan {
  Vec3 origin = Vec3::Zero();
  double unit = 1;                   // kg: what masses are counted in
  double spacing = 0;                // m, between neighbours
  std::span<Vec4f> positions;        // the fourth is 0 for those that are held, otherwise 1
  std::span<Vec4f> velocities;       // #particles
  std::span<const float> mass;       // #particles, units
  std::span<const int32_t> held;     // #particles: by which clamp, -1 free
  std::span<const int32_t> is_there; // #particles: 0 for those that were taken out

  size_t size() const { return positions.size(); }
};

}  // namespace crumple::particles
