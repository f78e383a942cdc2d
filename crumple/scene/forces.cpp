#include "crumple/scene/forces.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace crumple {
namespace {

/// Keys that belong to some kinds only.
const std::map<std::string_view, std::vector<ForceKind>> kKinds = {
    {"at", {ForceKind::Wind, ForceKind::Attractor, ForceKind::Gravity, ForceKind::Explosion}},
    {"turn", {ForceKind::Wind, ForceKind::Attractor, ForceKind::Gravity}},
    {"box", {ForceKind::Wind, ForceKind::Attractor, ForceKind::Gravity}},
    {"sphere", {ForceKind::Wind, ForceKind::Gravity}},
    {"velocity", {ForceKind::Wind}},
    {"drag", {ForceKind::Wind}},
    {"air", {ForceKind::Wind}},
    {"gust", {ForceKind::Wind}},
    {"gust_time", {ForceKind::Wind}},
    {"seed", {ForceKind::Wind}},
    {"gravity", {ForceKind::Gravity}},
    {"strength", {ForceKind::Attractor}},
    {"core", {ForceKind::Attractor}},
    {"reach", {ForceKind::Attractor}},
    {"radius", {ForceKind::Attractor, ForceKind::Explosion}},
    {"falloff", {ForceKind::Attractor, ForceKind::Explosion}},
    {"impulse", {ForceKind::Explosion}},
    {"end", {ForceKind::Wind, ForceKind::Attractor, ForceKind::Gravity}}};

std::string_view word_of(ForceKind kind) {
  switch (kind) {
    case ForceKind::Wind:
      return "wind";
    case ForceKind::Attractor:
      return "attractor";
    case ForceKind::Gravity:
      return "gravity";
    case ForceKind::Explosion:
      return "explosion";
  }
  return "";
}

bool belongs(std::string_view key, ForceKind kind) {
  const std::vector<ForceKind>& kinds = kKinds.at(key);
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

void check(Fields& f, const ForceDescription& force) {
  for (const auto& [key, kinds] : kKinds) {
    if (f.has(key) && !belongs(key, force.kind)) {
      return f.fail(key, fmt::format("does not belong to \"{}\" but to \"{}\"", word_of(force.kind), word_of(kinds.front())));
    }
  }
  if (f.has("box") && f.has("sphere")) return f.fail("sphere", "give either \"box\" or \"sphere\"");
  for (const double size : force.box.value_or(std::vector<double>())) {
    if (!(size > 0) || size > 1e6) return f.fail("box", "sizes must be more than 0 and at most 1e6 m");
  }
  if (force.end && *force.end <= force.start) return f.fail("end", "must be later than \"start\"");
  if (force.kind == ForceKind::Wind && !f.has("velocity")) return f.fail("", "\"velocity\" is missing");
  if (force.kind == ForceKind::Gravity && !f.has("gravity")) return f.fail("", "\"gravity\" is missing");
}

}  // namespace

void describe(Fields& f, When& w) {
  f.require("contact");
  f.texts("contact", w.contact, {"one or two names or groups of bodies: the first contact of the two, or of the one with anything"});
  f.number("impulse", w.impulse, at_least(0), {"least impulse of the contact within a step", "N s"});
  f.number("delay", w.delay, at_least(0), {"time from the contact to the event", "s"});
  if (f.reading() && !f.failed() && (w.contact.empty() || w.contact.size() > 2)) f.fail("contact", "needs one or two names");
}

void describe(Fields& f, ForceDescription& force) {
  // Only the keys of its kind are written.
  const auto is_of = [&](std::string_view key) { return !f.writing() || belongs(key, force.kind); };
  f.text("name", force.name, {"name in changes"});
  f.choice<ForceKind>(
      "kind", force.kind,
      {{"wind", ForceKind::Wind}, {"attractor", ForceKind::Attractor}, {"gravity", ForceKind::Gravity}, {"explosion", ForceKind::Explosion}},
      {"kind of force: drag of moving air, pull to a point or box, another gravity in a region, or one push outwards"});
  f.texts("bodies", force.bodies, {"names or groups of the bodies that it acts on; absent: all"});
  f.number("start", force.start, at_least(0), {"time of an explosion, or from which it acts; counted from \"when\" if that is given", "s"});
  if (is_of("end")) f.number("end", force.end, more_than(0), {"time until which it acts; absent: for ever", "s"});
  f.object("when", force.when, {"contact that starts it; absent: time alone"});
  if (is_of("at")) f.vector("at", force.at, {"centre of the region, the attractor or the explosion", "m"});
  if (is_of("turn")) f.vector("turn", force.turn, {"rotation of the box about x, then y, then z", "degrees"});
  if (is_of("box"))
    f.numbers("box", force.box, 3, {"wind, gravity: region, full sizes; absent: everywhere. Attractor: what attracts, instead of a point", "m"});
  if (is_of("sphere")) f.number("sphere", force.sphere, between(1e-6, 1e6), {"wind, gravity: region, radius", "m"});
  if (is_of("velocity")) f.keyed("velocity", force.velocity, 3, {}, {"wind: velocity of the air", "m/s"});
  if (is_of("drag"))
    f.number("drag", force.drag, between(0, 100), {"wind: drag coefficient; the force is half of drag x air x silhouette x speed squared"});
  if (is_of("air")) f.number("air", force.air, between(0, 1e5), {"wind: density of the air; 1000 for water", "kg/m^3"});
  if (is_of("gust")) f.number("gust", force.gust, between(0, 10), {"wind: share of the velocity by which it swells and drops"});
  if (is_of("gust_time")) f.number("gust_time", force.gust_time, between(1e-3, 1e6), {"wind: mean time from one gust to the next", "s"});
  if (is_of("seed")) f.integer("seed", force.seed, at_least(0), {"wind: random seed of the gusts"});
  if (is_of("gravity"))
    f.keyed("gravity", force.gravity, 3, {},
            {"gravity: acceleration in the region, instead of the scene's; of several regions the last counts", "m/s^2"});
  if (is_of("strength"))
    f.keyed("strength", force.strength, 1, {}, {"attractor: acceleration towards it at the distance \"radius\"; negative pushes away", "m/s^2"});
  if (is_of("impulse")) f.number("impulse", force.impulse, between(0, 1e9), {"explosion: impulse per area of silhouette at its centre", "Pa s"});
  if (is_of("radius"))
    f.number("radius", force.radius, between(1e-6, 1e6),
             {"attractor: distance of its strength. Explosion: distance at which nothing is left of it", "m"});
  if (is_of("falloff"))
    f.number("falloff", force.falloff, between(-4, 8),
             {"attractor: n in (radius / distance)^n, -1 is a spring. Explosion: n in (1 - distance / radius)^n"});
  if (is_of("core")) f.number("core", force.core, between(1e-6, 1e6), {"attractor: distance below which it softens", "m"});
  if (is_of("reach")) f.number("reach", force.reach, more_than(0), {"attractor: distance beyond which it does nothing; absent: none", "m"});
  f.require("kind");
  if (f.reading() && !f.failed()) check(f, force);
}

}  // namespace crumple
