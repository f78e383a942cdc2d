#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "crumple/methods/sprites/settings.h"

namespace crumple::sprites {

void describe(Fields& f, Blend& b) {
  f.text("pose", b.pose, {"name of a pose"});
  f.text("with", b.with, {"name of another pose to blend with"});
  f.number("share", b.share, between(0, 1), {"share of the other pose"});
  f.require("pose");
}

void describe(Fields& f, EnergyKnobs& e) {
  f.text("pose", e.pose, {"pose that contacts push towards, such as a squashed one"});
  f.number("gain", e.gain, at_least(0), {"share of the way for each squared m/s of contact (k_e, thesis eq. 4.5)", "s^2/m^2"});
  f.number("threshold", e.threshold, at_least(0), {"contact speed below which nothing happens", "m/s"});
  f.choice<Along>("along", e.along, {{"pose", Along::Pose}, {"away", Along::Away}, {"velocity", Along::Velocity}},
                  {"direction: towards the \"pose\", \"away\" from the equilibrium, or on with the \"velocity\" of the pose"});
  f.require("pose");
}

void describe(Fields& f, SpeedKnobs& s) {
  f.text("pose", s.pose, {"pose of fast motion, such as a stretched one"});
  f.number("gain", s.gain, at_least(0), {"share of the way for each m/s (k_v, thesis eq. 4.6)", "s/m"});
  f.number("threshold", s.threshold, at_least(0), {"speed that counts nothing; what is faster counts by its excess", "m/s"});
  f.require("pose");
}

void describe(Fields& f, MomentumKnobs& m) {
  f.number("share", m.share, between(0, 3), {"share of a contact's impulse that is given back (k_m, thesis eq. 4.11)"});
  f.number("time", m.time, between(1e-3, 10), {"time constant of giving it back (r, thesis eq. 4.12)", "s"});
  f.number("threshold", m.threshold, at_least(0), {"contact force below which nothing is stored, in weights of the sprite"});
  f.number("cap", m.cap, more_than(0), {"largest speed that is stored", "m/s"});
}

void describe(Fields& f, OrientationKnobs& o) {
  f.choice<Facing>("goal", o.facing, {{"angle", Facing::Angle}, {"velocity", Facing::Velocity}, {"line", Facing::Line}},
                   {"goal: an \"angle\", the top along the \"velocity\", or the top or bottom along its \"line\", whichever is nearer"});
  f.number("angle", o.angle, between(-360, 360), {"goal angle; of the other goals, the angle of one that is slow or stands, absent: it is free then", "degrees"});
  f.number("time", o.time, between(1e-3, 100), {"time constant (k_oc, thesis eq. 4.14)", "s"});
  f.number("least_speed", o.least_speed, at_least(0), {"speed below which its direction is no goal", "m/s"});
}

void describe(Fields& f, DragKnobs& d) {
  f.text("pose", d.pose, {"pose that air holds up, such as an inflated one"});
  f.number("rate", d.rate, between(0, 100), {"share of the speed lost per second at full weight of the pose", "1/s"});
  f.require("pose");
}

void describe(Fields& f, KeyPose& k) {
  describe(f, k.pose);
  f.number("time", k.time, between(1e-3, 1000), {"time until the next key", "s"});
}

void describe(Fields& f, Behaviour& b) {
  f.text("name", b.name, {"name of the behaviour"});
  f.list("keys", b.keys, {"equilibrium poses, one after another; absent: the sprite's own"});
  f.flag("cycle", b.cycle, {"whether the keys begin again"});
  f.number("travel", b.travel, between(-100, 100), {"speed along its facing on the ground", "m/s"});
  f.vector("push", b.push, {"acceleration while it lasts; x is along its facing", "m/s^2"});
  f.vector("jump", b.jump, {"change of velocity when it begins; x is along its facing", "m/s"});
  f.choice<Side>("side", b.side, {{"keep", Side::Keep}, {"left", Side::Left}, {"right", Side::Right}, {"velocity", Side::Velocity}}, {"side that the sprite turns to"});
  f.number("attraction", b.attraction, between(1e-3, 100), {"time constant towards the equilibrium, instead of the sprite's own", "s"});
  f.require("name");
}

void describe(Fields& f, Rule& r) {
  f.text("from", r.from, {"behaviour in which the rule counts; absent: any"});
  f.text("to", r.to, {"behaviour that begins"});
  f.text("key", r.key, {"key that must be held"});
  f.text("without", r.without, {"key that must not be held"});
  f.choice<Contacting>("contact", r.contact, {{"either", Contacting::Either}, {"ground", Contacting::Ground}, {"air", Contacting::Air}}, {"whether it must stand on something"});
  f.number("faster", r.faster, at_least(0), {"speed that it must exceed", "m/s"});
  f.number("slower", r.slower, at_least(0), {"speed that it must be below", "m/s"});
  f.number("after", r.after, at_least(0), {"time that the behaviour must have lasted", "s"});
  f.number("within", r.within, between(0, 2), {"distance from the equilibrium pose that it must be within"});
  f.require("to");
}

void describe(Fields& f, KeyCue& k) {
  f.number("time", k.time, at_least(0), {"time of the cue", "s"});
  f.text("key", k.key, {"name of the key, any word"});
  f.flag("down", k.down, {"whether the key goes down; false: up"});
  f.require("key");
}

/// A simplex of the complex.
struct NamedPoses {
  std::vector<std::string> poses;
};
void describe(Fields& f, NamedPoses& n) {
  f.texts("poses", n.poses, {"two to four poses that may be blended with each other"});
  f.require("poses");
}

void describe(Fields& f, Settings& s) {
  std::vector<NamedPoses> complex;
  for (const std::vector<std::string>& poses : s.complex) complex.push_back({poses});
  f.list("complex", complex, {"simplices of poses that may be blended; absent: the rest pose with each other one"});
  s.complex.clear();
  for (const NamedPoses& named : complex) s.complex.push_back(named.poses);
  f.object("equilibrium", s.equilibrium, {"pose that the sprite returns to (q, thesis section 4.2.2.1); absent: the rest pose"});
  f.number("attraction", s.attraction, between(1e-3, 100), {"time constant of the return (k_eq, thesis eq. 4.3)", "s"});
  f.object("energy", s.energy, {"contacts push the pose; absent: they do not"});
  f.object("speed", s.speed, {"speed pulls the pose; absent: it does not"});
  f.object("momentum", s.momentum, {"contacts bounce, lively; absent: they do not"});
  f.object("orientation", s.orientation, {"orientation is corrected; absent: it is not"});
  f.object("drag", s.drag, {"air drag by pose; absent: none"});
  f.number("stiffness", s.stiffness, between(0, 1), {"share of the way to the pose as a whole that matching goes in 1/60 s"});
  f.number("local", s.local, between(0, 1), {"share of the way to the pose of each neighbourhood that matching goes in 1/60 s"});
  f.integer("rings", s.rings, between(1, 6), {"rings of neighbours of a neighbourhood (k, thesis section 4.2.2)"});
  f.integer("iterations", s.iterations, between(1, 16), {"times that local and global matching alternate in a step"});
  f.number("liveliness", s.liveliness, between(0, 1), {"share of the motion of the shape that goes on after 1/60 s: 0 follows, 1 wobbles"});
  f.number("contact_liveliness", s.contact_liveliness, between(0, 1), {"the same while something touches it"});
  f.flag("faces_left", s.faces_left, {"whether the drawing is mirrored at the start"});
  f.flag("fixed", s.fixed, {"whether its middle stays where it is, as that of a platform"});
  f.number("anchor", s.anchor, between(1e-3, 100), {"time constant with which a fixed sprite comes back", "s"});
  f.list("behaviours", s.behaviours, {"states of the sprite; the first is the one at the start"});
  f.list("rules", s.rules, {"changes of behaviour, asked once a frame in this order"});
  f.list("input", s.input, {"keys that go down and up"});
  f.choice<Examples>("examples", s.examples, {{"full", Examples::Full}, {"project", Examples::Project}, {"none", Examples::None}},
                     {"use of the poses: \"full\"; for comparison, \"project\" the shape on them and nothing more, or \"none\""});
  f.choice<Projection>("projection", s.projection, {{"eliminated", Projection::Eliminated}, {"alternating", Projection::Alternating}},
                       {"projection on the poses: with the rotation \"eliminated\" or, for comparison, in turn with it as in the thesis (\"alternating\")"});
  f.flag("printed_momentum", s.printed_momentum, {"for comparison: momentum is given back as printed in eq. 4.12, which loses nearly all of it"});
  f.flag("printed_rings", s.printed_rings, {"for comparison: plain means of eqs. 4.9 and 4.10, which lose momentum"});
  f.flag("lose_spin", s.lose_spin, {"for comparison: matching slows rotation down"});
  if (!f.reading() || f.failed()) return;
  std::set<std::string> names;
  for (size_t i = 0; i < s.behaviours.size(); ++i) {
    if (!names.insert(s.behaviours[i].name).second) return f.fail("behaviours", fmt::format("two behaviours are called \"{}\"", s.behaviours[i].name));
  }
  for (const Rule& rule : s.rules) {
    for (const std::string& name : {rule.from, rule.to}) {
      if (!name.empty() && !names.contains(name)) return f.fail("rules", fmt::format("there is no behaviour \"{}\"", name));
    }
  }
  for (const std::vector<std::string>& simplex : s.complex) {
    if (simplex.size() < 2 || simplex.size() > 4) return f.fail("complex", "a simplex has two to four poses");
  }
  std::stable_sort(s.input.begin(), s.input.end(), [](const KeyCue& a, const KeyCue& b) { return a.time < b.time; });
}

std::vector<NamedSpeed> speeds(const Settings& settings) {
  std::vector<NamedSpeed> all;
  for (size_t i = 0; i < settings.behaviours.size(); ++i) all.push_back({fmt::format("behaviours/{}/jump", i), settings.behaviours[i].jump.norm()});
  return all;
}

std::string summary(const Settings& s) {
  std::string controls;
  for (const auto& [name, is_on] : {std::pair{"energy", s.energy.has_value()}, {"speed", s.speed.has_value()}, {"momentum", s.momentum.has_value()}, {"orientation", s.orientation.has_value()}, {"drag", s.drag.has_value()}}) {
    if (is_on) controls += fmt::format("{}{}", controls.empty() ? "" : ", ", name);
  }
  return fmt::format("returns within {:g} s{}{}", s.attraction, controls.empty() ? "" : "; " + controls, s.behaviours.empty() ? "" : fmt::format("; {} behaviours", s.behaviours.size()));
}

}  // namespace crumple::sprites
