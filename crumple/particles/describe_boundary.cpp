#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/fields.h"
#include "crumple/particles/boundary.h"

namespace crumple::particles {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Scales a direction to length 1. A unit vector is left as it is, so that scenes do not drift when written and read again.
void make_unit(Fields& fields, std::string_view key, Vec3& direction) {
  if (!fields.reading() || fields.failed()) return;
  const double length = direction.norm();
  if (length < 1e-9) return fields.fail(key, "has no length, so it is no direction");
  if (std::abs(length - 1) > 1e-12) direction /= length;
}

void describe_touch(Fields& fields, Touch& touch) {
  fields.number("friction", touch.friction, at_least(0), {"Coulomb friction coefficient"});
  fields.number("drag", touch.drag, at_least(0), {"decay rate of sliding velocity during contact", "1/s"});
}

void describe_times(Fields& fields, double& start, double& end) {
  fields.number("start", start, at_least(0), {"start time", "s"});
  std::optional<double> until = std::isfinite(end) ? std::optional(end) : std::nullopt;
  fields.number("end", until, at_least(0), {"end time; absent: never", "s"});
  end = until.value_or(kForever);
  if (fields.reading() && end <= start) fields.fail("end", "must be later than \"start\"");
}

/// A turn about any axis.
struct Tilt {
  Vec3 axis = Vec3::Zero();
  double rate = 0;  // degrees/s
};

void describe(Fields& fields, Tilt& tilt) {
  fields.vector("axis", tilt.axis, {"direction of the rotation axis"});
  fields.number("rate", tilt.rate, {}, {"rotation rate", "degrees/s"});
  fields.require("axis");
  fields.require("rate");
  make_unit(fields, "axis", tilt.axis);
}

/// Keys relative to the normal are added to velocity and spin, and written back as these.
void describe_shorthands(Fields& fields, Clamp& clamp) {
  std::optional<double> speed, twist;
  std::optional<Tilt> tilt;
  fields.number("speed", speed, {}, {"speed along the normal, added to the velocity", "m/s"});
  fields.number("twist", twist, {}, {"rotation rate about the normal, added to the spin", "degrees/s"});
  fields.object("tilt", tilt, {"rotation about a given axis, added to the spin"});
  if (!fields.reading() || fields.failed()) return;
  if ((speed || twist) && !fields.has("normal")) return fields.fail(speed ? "speed" : "twist", "needs a \"normal\"");
  if (speed) clamp.velocity += *speed * clamp.normal;
  if (twist) clamp.spin += *twist * kDegree * clamp.normal;
  if (tilt) clamp.spin += tilt->rate * kDegree * tilt->axis;
}

void describe_plane(Fields& fields, Clamp& clamp) {
  fields.vector("normal", clamp.normal, {"normal of the clamp's plane, towards the held particles"});
  make_unit(fields, "normal", clamp.normal);
  std::optional<double> offset = fields.reading() || !std::isfinite(clamp.offset) ? std::nullopt : std::optional(clamp.offset);
  fields.number("offset", offset, {},
                {"position of the plane along its normal; particles that start beyond it are held; absent: all particles in \"within\"", "m"});
  fields.object("within", clamp.within, {"region to which the held particles are restricted, by their positions at the start"});
  clamp.offset = offset.value_or(-kForever);
  if (!fields.reading()) return;
  if (!offset && !clamp.within) fields.fail("", "needs \"normal\" and \"offset\", or \"within\"");
  if (offset && !fields.has("normal")) fields.fail("offset", "needs a \"normal\"");
}

}  // namespace

void describe(Fields& fields, Region& region) {
  fields.vector("at", region.center, {"centre of the region", "m"});
  std::optional<double> radius = region.radius > 0 ? std::optional(region.radius) : std::nullopt;
  std::optional<Vec3> size = region.radius > 0 || region.size.isZero() ? std::nullopt : std::optional(region.size);
  fields.number("radius", radius, more_than(0), {"ball: radius", "m"});
  fields.vector("box", size, {"box: full sizes along x, y, z", "m"});
  if (!fields.reading() || fields.failed()) return;
  if (radius.has_value() == size.has_value()) return fields.fail("", "needs either \"radius\" or \"box\"");
  if (size && size->minCoeff() <= 0) return fields.fail("box", "sizes must be more than 0");
  region.radius = radius.value_or(0), region.size = size.value_or(Vec3::Zero());
}

void describe(Fields& fields, Clamp& clamp) {
  describe_plane(fields, clamp);
  fields.vector("velocity", clamp.velocity, {"velocity of the held particles", "m/s"});
  fields.vector("spin", clamp.spin, {"angular velocity of the held particles, about an axis through \"center\"", "rad/s"});
  fields.vector("center", clamp.center, {"centre of rotation, which moves with the velocity; absent: centroid of the held particles", "m"});
  describe_shorthands(fields, clamp);
  fields.flag("blocks", clamp.blocks, {"whether the clamp's plane is an obstacle to the other particles of the body"});
  describe_touch(fields, clamp.touch);
  describe_times(fields, clamp.start, clamp.end);
  if (fields.reading() && clamp.blocks && !std::isfinite(clamp.offset)) fields.fail("blocks", "a plane blocks: it needs \"normal\" and \"offset\"");
}

void describe(Fields& fields, PlaneObstacle& plane) {
  fields.vector("normal", plane.normal, {"normal, towards the free side"});
  fields.number("offset", plane.offset, {}, {"position along the normal at the start time", "m"});
  fields.vector("velocity", plane.velocity, {"velocity of the plane", "m/s"});
  describe_touch(fields, plane.touch);
  describe_times(fields, plane.start, plane.end);
  fields.require("normal");
  make_unit(fields, "normal", plane.normal);
}

void describe(Fields& fields, BallObstacle& ball) {
  fields.vector("at", ball.center, {"position of the centre at the start time", "m"});
  fields.vector("velocity", ball.velocity, {"constant velocity", "m/s"});
  fields.number("radius", ball.radius, more_than(0), {"radius", "m"});
  fields.number(
      "push", ball.push, at_least(0),
      {"rate at which its velocity is added to particles in contact, instead of a hit (momentumScale of the authors is a sixtieth of it)", "1/s"});
  describe_touch(fields, ball.touch);
  describe_times(fields, ball.start, ball.end);
  fields.require("at");
  fields.require("radius");
}

void describe(Fields& fields, CylinderObstacle& cylinder) {
  fields.vector("axis", cylinder.axis, {"direction of the axis, which is infinite"});
  fields.vector("at", cylinder.point, {"point on the axis", "m"});
  fields.number("radius", cylinder.radius, more_than(0), {"radius", "m"});
  fields.number("kick", cylinder.kick, at_least(0),
                {"outward speed added in every 1/60 s of contact, instead of an inelastic contact (2 in the authors' program)", "m/s"});
  describe_touch(fields, cylinder.touch);
  describe_times(fields, cylinder.start, cylinder.end);
  fields.require("radius");
  make_unit(fields, "axis", cylinder.axis);
}

void describe(Fields& fields, Boundary& boundary) {
  fields.list("clamps", boundary.clamps,
              {"clamps that hold, move, twist and tilt parts of the body, in world coordinates; a particle belongs to its first clamp"});
  fields.list("planes", boundary.planes, {"plane obstacles for this body alone"});
  fields.list("projectiles", boundary.balls, {"balls of constant velocity, obstacles for this body alone"});
  fields.list("cylinders", boundary.cylinders, {"infinite cylinders, obstacles for this body alone"});
}

}  // namespace crumple::particles
