#pragma once

#include <span>
#include <vector>

#include "crumple/particles/particles.h"
#include "crumple/rigid/obstacle.h"

/// Particles of one body against rigid parts.
namespace crumple::particles {

/// A rigid part as particles meet it. One that consists of several shapes stands there several times in a row, with the same owner.
struct Obstacle {
  rigid::ObstacleShape shape;
  const rigid::ObstacleShape* kept = nullptr;     // instead of `shape`: one that somebody else keeps
  int owner = -1;                       // parts in a row with the same one, if it is not -1, are one thing and move as one
  Transform place;                      // of the shape's frame
  Vec3 center = Vec3::Zero();           // of mass, world
  Vec3 velocity = Vec3::Zero();         // m/s, of the centre
  Vec3 spin = Vec3::Zero();             // rad/s
  double inverse_mass = 0;              // 1/kg; 0: nothing moves it
  Mat3 inverse_inertia = Mat3::Zero();  // world axes
  double friction = 0.3;
  double restitution = 0;
  double margin = 0;                    // m, added outside the shape
  bool yields = false;                  // overlaps move it, too, by its share of the mass; false: only the particles
  bool asleep = false;                  // counts as immovable while what hits it is too weak to wake it: see collide_obstacles
  Vec3 weight = Vec3::Zero();           // N s, of its own in one step

  const rigid::ObstacleShape& form() const { return kept ? *kept : shape; }
};

/// What particles did to a rigid part. Of one that consists of several shapes: what each of them got; their sum moves it.
struct Push {
  Vec3 impulse = Vec3::Zero();  // N s
  Vec3 twist = Vec3::Zero();    // N m s, about its centre of mass
  Vec3 shift = Vec3::Zero();    // m, that it gave way by
  Vec3 normal = Vec3::Zero();   // N s, the part of the impulse that is not friction
  double strength = 0;          // N s, of all contacts, whichever way they push
  Vec3 at = Vec3::Zero();       // middle of the contacts by their impulses, world
  int contacts = 0;
  bool woken = false;           // it slept
};

/// Particles inside a part, or that went through it within `dt`, are put onto the surface that they came through, and both change their velocity as if
/// they hit (the part's own is tracked while its particles take turns, so a light part is not pushed twice for the same motion). Returns what each part
/// received: exactly what the particles lost. If the part yields, the common centre of mass and angular momentum stay, too.
///
/// A part that sleeps is as good as fixed, and what hits it is lost to what it rests on, until particles would change its speed by more than a tenth
/// of what its weight does in a step (0.01 m/s at least), not counting what presses it down slowly. Then it is woken and moves.
std::vector<Push> collide_obstacles(const ParticleSpan& particles, std::span<const Obstacle> obstacles, double dt = 0);

}  // namespace crumple::particles
