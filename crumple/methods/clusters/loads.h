#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "crumple/geometry/mesh.h"

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

class MeshField;

/// A thing of the rigid world in its own frame; `kind` says which of the fields count.
struct RigidShape {
  enum class Kind { Ball, Box, Plane, Cylinder, Capsule, Hull, Mesh, Field };
  Kind kind = Kind::Ball;
  double radius = 0;                                                // Ball, Cylinder, Capsule; Field: a ball that holds it
  Vec3 half = Vec3::Zero();                                         // Box: half its edges; Cylinder, Capsule: half its height (without caps) at [1], its axis being y
  std::vector<Eigen::Vector4d> planes;                              // Hull: outward normal . x <= fourth; Plane: the first alone
  size_t inner = 0;                                                 // Hull: so many of the last planes lie inside a neighbour, and nobody leaves through them
  Bounds box;                                                       // Hull: that holds it; empty: not known
  std::shared_ptr<const MeshField> mesh;                            // Mesh
  std::function<double(const Vec3& point, Vec3& normal)> distance;  // Field: signed, below zero inside, with the outward direction
};

/// A rigid part as particles meet it. One that consists of several shapes stands there several times in a row, with the same owner.
struct RigidPart {
  RigidShape shape;
  const RigidShape* kept = nullptr;     // instead of `shape`: one that somebody else keeps
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
  bool asleep = false;                  // counts as immovable while what hits it is too weak to wake it: see collide_parts
  Vec3 weight = Vec3::Zero();           // N s, of its own in one step

  const RigidShape& form() const { return kept ? *kept : shape; }
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

struct State;
/// Particles inside a part, or that went through it within `dt`, are put onto the surface that they came through, and both change their velocity as if
/// they hit (the part's own is tracked while its particles take turns, so a light part is not pushed twice for the same motion). Returns what each part
/// received: exactly what the particles lost. If the part yields, the common centre of mass and angular momentum stay, too.
///
/// A part that sleeps is as good as fixed, and what hits it is lost to what it rests on, until particles would change its speed by more than a tenth
/// of what its weight does in a step (0.01 m/s at least), not counting what presses it down slowly. Then it is woken and moves.
std::vector<Push> collide_parts(const Model& model, State& state, std::span<const RigidPart> parts, double dt = 0);

/// Two bodies keep out of each other as clusters of one do. After both have stepped.
void collide_bodies(const Model& model_a, State& a, const Model& model_b, State& b, double friction);

/// Signed distance to a shape's surface in its own frame, below zero inside, and the outward direction there. Surfaces farther than `within` may be
/// taken for infinitely far.
double signed_distance(const RigidShape& shape, const Vec3& point, Vec3& normal, double within = kForever);
/// Box around a shape in its own frame; empty if it is not known or there is none.
Bounds box_of(const RigidShape& shape);
/// How deep into the shape one can get from outside before another side is nearer, roughly; 0: not known.
double depth_of(const RigidShape& shape);

}  // namespace crumple::clusters
