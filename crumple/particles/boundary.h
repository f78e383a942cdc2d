#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/math/types.h"

namespace crumple {
class Fields;
}

/// Clamps and obstacles for the particles of one body, as plain data in world coordinates.
namespace crumple::particles {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// Friction and drag of a contact.
struct Touch {
  double friction = 0.3;  // Coulomb coefficient
  double drag = 0;        // 1/s: decay rate of sliding velocity during contact
};

/// A ball, or a box along the axes.
struct Region {
  Vec3 center = Vec3::Zero();
  double radius = 0;         // m; 0: a box
  Vec3 size = Vec3::Zero();  // m, of the box
};

/// Holds the particles that start beyond a plane (normal . x > offset) and moves them rigidly, from `start` to `end`.
struct Clamp {
  Vec3 normal = Vec3::UnitX();       // of length 1
  double offset = 0;                 // m; -kForever: all particles that start `within`
  std::optional<Region> within;      // restricts the held particles to a region
  Vec3 velocity = Vec3::Zero();      // m/s
  Vec3 spin = Vec3::Zero();          // rad/s, about an axis through `center`, which moves with the velocity
  std::optional<Vec3> center;        // m; absent: the origin, until set_centers()
  bool blocks = false;               // the plane is an obstacle to the free particles; it moves with the velocity
  Touch touch;                       // of this plane
  double start = 0, end = kForever;  // s
};

/// A clamp that drags its particles along its normal, and whose plane blocks the others.
Clamp moving_clamp(const Vec3& normal, double offset, double speed);
/// A clamp that turns its particles about its normal, through the origin.
Clamp twisting_clamp(const Vec3& normal, double offset, double rate, double end);
/// A clamp that turns its particles about `axis` through the plane's nearest point to the origin.
Clamp tilting_clamp(const Vec3& normal, const Vec3& axis, double offset, double rate, double end);

/// Keeps particles on the side where normal . x >= offset; moves with `velocity`.
struct PlaneObstacle {
  Vec3 normal = Vec3::UnitY();
  double offset = 0;  // at `start`
  Vec3 velocity = Vec3::Zero();
  Touch touch;
  double start = 0, end = kForever;
};

/// A ball of constant velocity.
struct BallObstacle {
  Vec3 center = Vec3::Zero();  // at `start`
  Vec3 velocity = Vec3::Zero();
  double radius = 0.1;
  double push = 0;  // 1/s: rate at which its velocity is added to touching particles (momentumScale of the authors is this / 60); 0: inelastic hit
  Touch touch;
  double start = 0, end = kForever;
};

/// An infinite fixed cylinder.
struct CylinderObstacle {
  Vec3 axis = Vec3::UnitY();
  Vec3 point = Vec3::Zero();
  double radius = 0.1;
  double kick = 0;  // m/s: added outwards in every reference step of contact, as the authors do (2)
  Touch touch;
  double start = 0, end = kForever;
};

/// Clamps and obstacles that act on one body alone.
struct Boundary {
  std::vector<Clamp> clamps;
  std::vector<PlaneObstacle> planes;
  std::vector<BallObstacle> balls;
  std::vector<CylinderObstacle> cylinders;
};

/// Keys "clamps", "planes", "projectiles" and "cylinders". Shorthand keys (speed, twist and tilt) are read into the plain fields and written
/// back as these.
void describe(Fields& fields, Boundary& boundary);
void describe(Fields& fields, Region& region);
void describe(Fields& fields, Clamp& clamp);
void describe(Fields& fields, PlaneObstacle& plane);
void describe(Fields& fields, BallObstacle& ball);
void describe(Fields& fields, CylinderObstacle& cylinder);

}  // namespace crumple::particles
