#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {
class Fields;
}

/// What acts on particles from outside, as plain data in world coordinates.
namespace crumple::clusters {

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

struct Loads {
  std::vector<Clamp> clamps;
  std::vector<PlaneObstacle> planes;
  std::vector<BallObstacle> balls;
  std::vector<CylinderObstacle> cylinders;
};

/// Keys "clamps", "planes", "projectiles" and "cylinders". What is convenient to write (degrees along a normal) is read into the plain fields, so
/// what is written back means the same.
void describe(Fields& fields, Loads& loads);
void describe(Fields& fields, Region& region);
void describe(Fields& fields, Clamp& clamp);
void describe(Fields& fields, PlaneObstacle& plane);
void describe(Fields& fields, BallObstacle& ball);
void describe(Fields& fields, CylinderObstacle& cylinder);

struct Model;
/// Clamps without a centre of their own turn about the middle of what they hold.
void set_centers(const Model& model, Loads& loads);

/// A convex thing of the rigid world in its own frame; `kind` says which of the fields count.
struct RigidShape {
  enum class Kind { Ball, Box, Plane, Cylinder, Hull, Field };
  Kind kind = Kind::Ball;
  double radius = 0;                                                // Ball, Cylinder; Field: a ball that holds it
  Vec3 half = Vec3::Zero();                                         // Box: half its edges; Cylinder: half its height at [1], its axis being y
  std::vector<Eigen::Vector4d> planes;                              // Hull: outward normal . x <= fourth; Plane: the first alone
  std::function<double(const Vec3& point, Vec3& normal)> distance;  // Field: signed, below zero inside, with the outward direction
};

/// A rigid part as particles meet it.
struct RigidPart {
  RigidShape shape;
  Transform place;                      // of the shape's frame
  Vec3 center = Vec3::Zero();           // of mass, world
  Vec3 velocity = Vec3::Zero();         // m/s, of the centre
  Vec3 spin = Vec3::Zero();             // rad/s
  double inverse_mass = 0;              // 1/kg; 0: nothing moves it
  Mat3 inverse_inertia = Mat3::Zero();  // world axes
  double friction = 0.3;
  double restitution = 0;
};

/// What particles did to a rigid part.
struct Push {
  Vec3 impulse = Vec3::Zero();  // N s
  Vec3 twist = Vec3::Zero();    // N m s, about its centre of mass
  int contacts = 0;
};

struct State;
/// Particles inside a part are put onto its surface, and both change their velocity as if they hit (the part's own is tracked while its particles
/// take turns, so a light part is not pushed twice for the same motion). Returns what each part received: exactly what the particles lost.
std::vector<Push> collide_parts(const Model& model, State& state, std::span<const RigidPart> parts);

/// Signed distance to a shape's surface in its own frame, below zero inside, and the outward direction there.
double signed_distance(const RigidShape& shape, const Vec3& point, Vec3& normal);

}  // namespace crumple::clusters
