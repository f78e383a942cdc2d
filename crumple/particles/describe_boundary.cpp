#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "crumple/core/fields.h"
#include "crumple/particles/boundary.h"

namespace crumple::particles {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Of length 1; one that has been made so already is left as it is, so that scenes which are written and read again do not drift.
void make_unit(Fields& fields, std::string_view key, Vec3& direction) {
  if (!fields.reading() || fields.failed()) return;
  const double length = direction.norm();
  if (length < 1e-9) return fields.fail(key, "has no length, so it is no direction");
  if (std::abs(length - 1) > 1e-12) direction /= length;
}

void describe_touch(Fields& fields, Touch& touch) {
  fields.number("friction", touch.friction, at_least(0), {"of what touches it (Coulomb)"});
  fields.number("drag", touch.drag, at_least(0), {"rate at which sliding along it fades", "1/s"});
}

void describe_times(Fields& fields, double& start, double& end) {
  fields.number("start", start, at_least(0), {"when it begins", "s"});
  std::optional<double> until = std::isfinite(end) ? std::optional(end) : std::nullopt;
  fields.number("end", until, at_least(0), {"when it ends; absent: never", "s"});
  end = until.value_or(kForever);
  if (fields.reading() && end <= start) fields.fail("end", "must be later than \"start\"");
}

/// A turn about any axis.
struct Tilt {
  Vec3 axis = Vec3::Zero();
  double rate = 0;  // degrees/s
};

void describe(Fields& fields, Tilt& tilt) {
  fields.vector("axis", tilt.axis, {"what it turns about"});
  fields.number("rate", tilt.rate, {}, {"how fast", "degrees/s"});
  fields.require("axis");
  fields.require("rate");
  make_unit(fields, "axis", tilt.axis);
}

/// What is said in terms of the normal is added to velocity and spin, and written there.
void describe_shorthands(Fields& fields, Clamp& clamp) {
  std::optional<double> speed, twist;
  std::optional<Tilt> tilt;
  fields.number("speed", speed, {}, {"beside its velocity: along the normal", "m/s"});
  fields.number("twist", twist, {}, {"beside its spin: about the normal", "degrees/s"});
  fields.object("tilt", tilt, {"beside its spin: about an axis of its own"});
  if (!fields.reading() || fields.failed()) return;
  if ((speed || twist) && !fields.has("normal")) return fields.fail(speed ? "speed" : "twist", "needs a \"normal\"");
  if (speed) clamp.velocity += *speed * clamp.normal;
  if (twist) clamp.spin += *twist * kDegree * clamp.normal;
  if (tilt) clamp.spin += tilt->rate * kDegree * tilt->axis;
}

void describe_plane(Fields& fields, Clamp& clamp) {
  fields.vector("normal", clamp.normal, {"of its plane, towards what is held"});
  make_unit(fields, "normal", clamp.normal);
  std::optional<double> offset = fields.reading() || !std::isfinite(clamp.offset) ? std::nullopt : std::optional(clamp.offset);
  fields.number("offset", offset, {}, {"of its plane: it holds what begins farther along the normal; absent: all that is \"within\" a region", "m"});
  fields.object("within", clamp.within, {"it holds only what begins in this region"});
  clamp.offset = offset.value_or(-kForever);
  if (!fields.reading()) return;
  if (!offset && !clamp.within) fields.fail("", "needs \"normal\" and \"offset\", or \"within\"");
  if (offset && !fields.has("normal")) fields.fail("offset", "needs a \"normal\"");
}

}  // namespace

void describe(Fields& fields, Region& region) {
  fields.vector("at", region.center, {"its middle", "m"});
  std::optional<double> radius = region.radius > 0 ? std::optional(region.radius) : std::nullopt;
  std::optional<Vec3> size = region.radius > 0 || region.size.isZero() ? std::nullopt : std::optional(region.size);
  fields.number("radius", radius, more_than(0), {"a ball", "m"});
  fields.vector("box", size, {"a box: full sizes along x, y, z", "m"});
  if (!fields.reading() || fields.failed()) return;
  if (radius.has_value() == size.has_value()) return fields.fail("", "needs either \"radius\" or \"box\"");
  if (size && size->minCoeff() <= 0) return fields.fail("box", "sizes must be more than 0");
  region.radius = radius.value_or(0), region.size = size.value_or(Vec3::Zero());
}

void describe(Fields& fields, Clamp& clamp) {
  describe_plane(fields, clamp);
  fields.vector("velocity", clamp.velocity, {"of what it holds", "m/s"});
  fields.vector("spin", clamp.spin, {"of what it holds, about an axis through \"center\"", "rad/s"});
  fields.vector("center", clamp.center, {"what it turns about; it moves with the velocity; absent: the middle of what is held", "m"});
  describe_shorthands(fields, clamp);
  fields.flag("blocks", clamp.blocks, {"the rest of the body does not get past its plane"});
  describe_touch(fields, clamp.touch);
  describe_times(fields, clamp.start, clamp.end);
  if (fields.reading() && clamp.blocks && !std::isfinite(clamp.offset)) fields.fail("blocks", "a plane blocks: it needs \"normal\" and \"offset\"");
}

void describe(Fields& fields, PlaneObstacle& plane) {
  fields.vector("normal", plane.normal, {"towards the side where particles may be"});
  fields.number("offset", plane.offset, {}, {"its place along the normal when it begins", "m"});
  fields.vector("velocity", plane.velocity, {"how it moves", "m/s"});
  describe_touch(fields, plane.touch);
  describe_times(fields, plane.start, plane.end);
  fields.require("normal");
  make_unit(fields, "normal", plane.normal);
}

void describe(Fields& fields, BallObstacle& ball) {
  fields.vector("at", ball.center, {"its middle when it begins", "m"});
  fields.vector("velocity", ball.velocity, {"which nothing changes", "m/s"});
  fields.number("radius", ball.radius, more_than(0), {"its size", "m"});
  fields.number(
      "push", ball.push, at_least(0),
      {"rate at which it adds its velocity to what it touches, instead of a hit (momentumScale of the authors is a sixtieth of it)", "1/s"});
  describe_touch(fields, ball.touch);
  describe_times(fields, ball.start, ball.end);
  fields.require("at");
  fields.require("radius");
}

void describe(Fields& fields, CylinderObstacle& cylinder) {
  fields.vector("axis", cylinder.axis, {"its direction; it has no ends"});
  fields.vector("at", cylinder.point, {"a point of its axis", "m"});
  fields.number("radius", cylinder.radius, more_than(0), {"its size", "m"});
  fields.number("kick", cylinder.kick, at_least(0),
                {"speed outwards that it adds in every 1/60 s of contact, instead of a touch (2 in the authors' program)", "m/s"});
  describe_touch(fields, cylinder.touch);
  describe_times(fields, cylinder.start, cylinder.end);
  fields.require("radius");
  make_unit(fields, "axis", cylinder.axis);
}

void describe(Fields& fields, Boundary& boundary) {
  fields.list("clamps", boundary.clamps,
              {"what holds parts of the body and moves, twists and tilts them, in the world; the first that takes a particle has it"});
  fields.list("planes", boundary.planes, {"planes that only this body meets"});
  fields.list("projectiles", boundary.balls, {"balls on a course that nothing changes, and that only this body meets"});
  fields.list("cylinders", boundary.cylinders, {"cylinders without ends that only this body meets"});
}

}  // namespace crumple::particles
