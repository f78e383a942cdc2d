#pragma once

#include "crumple/particles/boundary.h"
#include "crumple/particles/particles.h"

/// A body's boundary at work on its particles.
namespace crumple::particles {

/// Where particles begin, from an origin: clamps take hold of those that begin somewhere.
struct StartPlaces {
  Vec3 origin = Vec3::Zero();
  std::span<const Vec4f> rest;  // #originals
};

/// Who is held.
struct Held {
  int64_t& clamps;         // one bit for each that holds
  std::span<int32_t> by;   // #particles: by which clamp, -1 free
};

/// A boundary that holds nothing, or that has no direction, is an error.
Result<void> check_boundary(const StartPlaces& starts, const Boundary& boundary);
/// Clamps without a centre of their own turn about the middle of what they hold.
void set_centers(const StartPlaces& starts, Boundary& boundary);

/// Takes hold of particles whose clamp begins, and lets go of those whose clamp ends; `original` says where each comes from. True if something changed.
bool hold(const Boundary& boundary, const StartPlaces& starts, std::span<const int32_t> original, double time, Held& held, std::span<Vec4f> positions);
/// Moves those that are held. Call before time passes.
void carry(const Boundary& boundary, const ParticleSpan& particles, double time, double dt);
/// Planes, balls and cylinders push particles out. Call with the time at the end of the step.
void collide_boundary(const Boundary& boundary, const ParticleSpan& particles, double time, double dt);

}  // namespace crumple::particles
