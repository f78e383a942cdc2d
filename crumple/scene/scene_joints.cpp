#include "crumple/scene/scene.h"

namespace crumple {

using rigid::JointKind;

namespace {

void check_plastic(Fields& f, const JointDescription& j) {
  if (f.failed()) return;
  if (j.kind != JointKind::Plastic) {
    for (const char* key : {"section", "material", "length", "up", "behaviour"}) {
      if (f.has(key)) return f.fail(key, "belongs to a joint of \"kind\": \"plastic\"");
    }
    return;
  }
  if (!j.section) return f.fail("", "a plastic joint needs a \"section\"");
  if (!j.material && !(j.section->capacity && j.section->stiffness)) {
    return f.fail("", "a plastic joint needs a \"material\", or a section with a \"capacity\" and a \"stiffness\"");
  }
  if (!j.length && !j.section->stiffness)
    return f.fail("", "a plastic joint needs the \"length\" of bar that bends at it, or a section with a \"stiffness\"");
  if (j.up && j.up->cross(j.axis).norm() <= 1e-6 * j.up->norm() * j.axis.norm()) return f.fail("up", "must not be parallel to \"axis\"");
  const Result<rigid::PlasticLaw> law = law_of(j);
  if (law) return;
  const std::string_view text = law.error().text;  // "/section/rect: ...", or ": ..." if it is the joint itself
  if (text.starts_with(':')) return f.fail("", text.substr(2));
  const size_t end = text.find_first_of("/:", 1);
  f.fail(text.substr(1, end - 1), text.substr(text[end] == ':' ? end + 2 : end + 1));
}

}  // namespace

Result<rigid::PlasticLaw> law_of(const JointDescription& joint) {
  return rigid::make_law(joint.section.value_or(rigid::SectionChoice()), joint.material.value_or(rigid::MaterialChoice()),
                          joint.behaviour.value_or(rigid::Behaviour()), joint.length.value_or(1));
}

void describe(Fields& f, JointDescription& j) {
  f.text("name", j.name, {"name in reports"});
  f.choice<JointKind>("kind", j.kind,
                      {{"fixed", JointKind::Fixed},
                       {"hinge", JointKind::Hinge},
                       {"slider", JointKind::Slider},
                       {"ball", JointKind::Ball},
                       {"plastic", JointKind::Plastic}},
                      {"kind of joint; a plastic one constrains all motion, but bends, yields and breaks"});
  f.text("body", j.body, {"name of the first body"});
  f.text("to", j.to, {"name of the second body; absent: the world"});
  f.vector("at", j.at, {"position in the world at the start", "m"});
  f.vector("axis", j.axis, {"axis of a hinge or slider, in the world at the start; plastic: direction of the bar"});
  f.number("low", j.low, between(-1e6, 1e6), {"lower limit of the angle or displacement", "degrees or m"});
  f.number("high", j.high, between(-1e6, 1e6), {"upper limit of the angle or displacement", "degrees or m"});
  f.number("motor", j.motor, between(-1e6, 1e6), {"target speed of the motor", "rad/s or m/s"});
  f.number("strength", j.strength, at_least(0), {"maximum torque or force of the motor", "N m or N"});
  f.flag("collide", j.collide, {"whether the two bodies collide with each other"});
  f.object("section", j.section, {"plastic: cross-section"});
  f.object("material", j.material, {"plastic: material of the section"});
  f.number("length", j.length, between(1e-6, 1e6), {"plastic: length of the bar that bends at the joint", "m"});
  f.vector("up", j.up, {"plastic: direction of the section's height; absent: y, or x if the axis is vertical"});
  f.object("behaviour", j.behaviour, {"plastic: yielding and breaking of the joint"});
  f.require("body");
  if (!f.reading() || f.failed()) return;
  if (j.axis.norm() < 1e-9) f.fail("axis", "has no length");
  if (j.low && j.high && *j.low > *j.high) f.fail("low", "must not exceed \"high\"");
  if (j.low.has_value() != j.high.has_value()) f.fail(j.low ? "low" : "high", "limits come in pairs: give \"low\" and \"high\"");
  const bool driven = j.kind == JointKind::Hinge || j.kind == JointKind::Slider;
  if (!driven && (j.low || j.motor)) f.fail(j.low ? "low" : "motor", "only hinges and sliders have limits and motors");
  if (j.kind == JointKind::Hinge && j.low && (*j.low < -180 || *j.high > 180)) {
    f.fail(*j.low < -180 ? "low" : "high", "a hinge knows its angle between -180 and 180 degrees only");
  }
  if (j.motor && j.strength == 0) f.fail("motor", "a motor needs a \"strength\" above 0");
  if (!j.motor && j.strength > 0) f.fail("strength", "belongs to a \"motor\"; a motor of speed 0 is a brake");
  check_plastic(f, j);
}

}  // namespace crumple
