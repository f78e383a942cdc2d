#pragma once

#include "crumple/particles/boundary.h"
#include "crumple/particles/particles.h"

/// Applies a body's boundary to its particles.
namespace crumple::particles {

/// Start positions of particles, relative to an origin; clamps select particles by them.
struct StartPlaces {
  Vec3 origin = Vec3::Zero();
  std::span<const Vec4f> rest;  // #originals
};

/// Which particles are held, and by which clamp.
struct Held {
  int64_t& clamps;         // one bit for each active clamp
  std::span<int32_t> by;   // #particles: clamp that holds it, -1 free
};

/// A clamp that holds no particle, or a normal without length, is an error.
Result<void> check_boundary(const StartPlaces& starts, const Boundary& boundary);
/// Clamps without a given centre turn about the centroid of their particles.
void set_centers(const StartPlaces& starts, Boundary& boundary);

/// Holds the particles of clamps that start, and frees those of clamps that end; `original` is the index of each in `rest`. True on any change.
bool hold(const Boundary& boundary, const StartPlaces& starts, std::span<const int32_t> original, double time, Held& held, std::span<Vec4f> positions);
/// Moves the held particles. Call before time advances.
void carry(const Boundary& boundary, const ParticleSpan& particles, double time, double dt);
/// Planes, balls and cylinders push particles out. Call with the time at the end of the step.
void collide_boundary(const Boundary& boundary, const ParticleSpan& particles, double time, double dt);

}  // namespace crumple::particles
