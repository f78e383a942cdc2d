#pragma once

#include <span>
#include <vector>

#include "crumple/particles/particles.h"
#include "crumple/rigid/obstacle.h"

/// Particles of one body against rigid parts.
namespace crumple::particles {

/// A rigid part as an obstacle to particles. A part of several shapes has one consecutive entry for each, all with the same owner.
struct Obstacle {
  rigid::ObstacleShape shape;
  const rigid::ObstacleShape* kept = nullptr;     // instead of `shape`: a shape that the caller owns
  int owner = -1;                       // consecutive entries with the same owner, unless -1, are one part and move together
  Transform place;                      // of the shape's frame
  Vec3 center = Vec3::Zero();           // of mass, world
  Vec3 velocity = Vec3::Zero();         // m/s, of the centre
  Vec3 spin = Vec3::Zero();             // rad/s
  double inverse_mass = 0;              // 1/kg; 0: immovable
  Mat3 inverse_inertia = Mat3::Zero();  // world axes
  double friction = 0.3;
  double restitution = 0;
  double margin = 0;                    // m, added outside the shape
  bool yields = false;                  // overlaps also move the part, by its share of the mass; false: only the particles
  bool asleep = false;                  // immovable until a hit is strong enough to wake it: see collide_obstacles
  Vec3 weight = Vec3::Zero();           // N s: impulse of its weight in one step

  const rigid::ObstacleShape& form() const { return kept ? *kept : shape; }
};

/// Impulse of particles on a rigid part. A part of several shapes has one for each; their sum moves it.
struct Push {
  Vec3 impulse = Vec3::Zero();  // N s
  Vec3 twist = Vec3::Zero();    // N m s, about its centre of mass
  Vec3 shift = Vec3::Zero();    // m: displacement out of overlaps
  Vec3 normal = Vec3::Zero();   // N s: impulse without friction
  double strength = 0;          // N s: sum of the magnitudes over all contacts
  Vec3 at = Vec3::Zero();       // centroid of the contacts, weighted by impulse, world
  int contacts = 0;
  bool woken = false;           // it was asleep
};

/// Particles inside a part, or that crossed it within `dt`, are moved to the surface where they entered. Both velocities change as in a hit. The
/// part's velocity is updated after each particle, so a light part is not pushed twice for the same motion. Returns the impulse on each part: exactly
/// the momentum that the particles lost. If the part yields, the common centre of mass and angular momentum are conserved, too.
///
/// A sleeping part counts as fixed, and impulses on it are lost. It wakes when particles would change its speed by more than 0.01 m/s and a tenth
/// of the change by its weight in a step. Slow pressure from above does not count.
std::vector<Push> collide_obstacles(const ParticleSpan& particles, std::span<const Obstacle> obstacles, double dt = 0);

}  // namespace crumple::particles
