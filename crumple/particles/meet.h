#pragma once

#include "crumple/particles/particles.h"

namespace crumple::particles {

/// Particles of two bodies keep out of each other: those nearer than half the sum of both spacings are moved apart by their masses, and lose what moves
/// them towards each other and, up to the friction, what slides. Momentum stays; who is held does not move.
void meet(const ParticleSpan& a, const ParticleSpan& b, double friction);

}  // namespace crumple::particles
