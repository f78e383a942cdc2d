#pragma once

#include "crumple/particles/particles.h"

namespace crumple::particles {

/// Collides the particles of two bodies. Pairs nearer than half the sum of both spacings are moved apart by their masses. They lose their approach
/// velocity and, up to the friction limit, their sliding velocity. Momentum is conserved; held particles do not move.
void meet(const ParticleSpan& a, const ParticleSpan& b, double friction);

}  // namespace crumple::particles
