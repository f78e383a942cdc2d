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

/// What an artist lets act on the particles of one body, as plain data in world coordinates.
namespace crumple::particles {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// How touching feels.
struct Touch {
  double friction = 0.3;  // Coulomb's coefficient
  double drag = 0;        // 1/s, at which sliding fades while it touches
};

/// A ball, or a box along the axes.
struct Region {
  Vec3 center = Vec3::Zero();
  double radius = 0;         // m; 0: it is a box
  Vec3 size = Vec3::Zero();  // m, of the box
};

/// Holds the particles that begin beyond a plane (normal . x > offset) and moves them rigidly, with start and end.
struct Clamp {
  Vec3 normal = Vec3::UnitX();       // of length 1
  double offset = 0;                 // m; -kForever: all that begin `within`
  std::optional<Region> within;      // it holds no others
  Vec3 velocity = Vec3::Zero();      // m/s
  Vec3 spin = Vec3::Zero();          // rad/s, about an axis through `center`, which moves with the velocity
  std::optional<Vec3> center;        // m; absent: the origin, until set_centers()
  bool blocks = false;               // others do not get past the plane, which moves with the velocity
  Touch touch;                       // of that plane
  double start = 0, end = kForever;  // s
};

/// A clamp that drags its particles along its normal, and keeps out others.
Clamp moving_clamp(const Vec3& normal, double offset, double speed);
/// A clamp that turns its particles about its normal, through the origin.
Clamp twisting_clamp(const Vec3& normal, double offset, double rate, double end);
/// A clamp that turns its particles about `axis` through the plane's nearest point to the origin.
Clamp tilting_clamp(const Vec3& normal, const Vec3& axis, double offset, double rate, double end);

/// Keeps particles on the side where normal . x >= offset; moves with `velocity`.
struct PlaneObstacle {
  Vec3 normal = Vec3::UnitY();
  double offset = 0;  // when it starts
  Vec3 velocity = Vec3::Zero();
  Touch touch;
  double start = 0, end = kForever;
};

/// A ball on a course that nothing changes.
struct BallObstacle {
  Vec3 center = Vec3::Zero();  // when it starts
  Vec3 velocity = Vec3::Zero();
  double radius = 0.1;
  double push = 0;  // 1/s: share of its velocity that it adds to what it touches (momentumScale of the authors is this / 60); 0: an inelastic hit
  Touch touch;
  double start = 0, end = kForever;
};

/// An infinite cylinder that does not move.
struct CylinderObstacle {
  Vec3 axis = Vec3::UnitY();
  Vec3 point = Vec3::Zero();
  double radius = 0.1;
  double kick = 0;  // m/s: added outwards in every reference step of contact, as the authors do (2)
  Touch touch;
  double start = 0, end = kForever;
};

/// Everything that one body meets and nobody else.
struct Boundary {
  std::vector<Clamp> clamps;
  std::vector<PlaneObstacle> planes;
  std::vector<BallObstacle> balls;
  std::vector<CylinderObstacle> cylinders;
};

/// Keys "clamps", "planes", "projectiles" and "cylinders". What is convenient to write (degrees along a normal) is read into the plain fields, so
/// what is written back means the same.
void describe(Fields& fields, Boundary& boundary);
void describe(Fields& fields, Region& region);
void describe(Fields& fields, Clamp& clamp);
void describe(Fields& fields, PlaneObstacle& plane);
void describe(Fields& fields, BallObstacle& ball);
void describe(Fields& fields, CylinderObstacle& cylinder);

}  // namespace crumple::particles
