#include <algorithm>
#include <cmath>
#include <numbers>
#include <map>

#include <fmt/format.h>

#include "crumple/geometry/rings.h"
#include "crumple/io/files.h"
#include "crumple/scene/import/paper2_scene.h"
#include "crumple/scene/import/paper1_scene.h"
#include "crumple/scene/assembly.h"
#include "crumple/scene/changes.h"
#include "crumple/scene/check.h"
#include "crumple/scene/include.h"
#include "crumple/scene/presets.h"
#include "crumple/scene/scene.h"

namespace crumple {

using rigid::Motion;

void describe(Fields& f, Material& m) {
  f.number("friction", m.friction, at_least(0), {"Coulomb friction coefficient; the values of two touching bodies are multiplied"});
  f.number("restitution", m.restitution, between(0, 1),
           {"coefficient of restitution; the values of two touching bodies are multiplied (C_r*, paper 1 eq. 15)"});
  f.number("rolling_friction", m.rolling_friction, at_least(0), {"rolling friction coefficient, for curved surfaces"});
  f.number("damping", m.damping, between(0, 1), {"share of speed lost per second"});
  f.number("spin_damping", m.spin_damping, between(0, 1), {"share of spin lost per second"});
}

void describe(Fields& f, HullsDescription& h) {
  f.number("tolerance", h.tolerance, more_than(0),
           {"largest depth of hollows that collision hulls may bridge; absent: 2.5 % of the body's diagonal", "m"});
  f.integer("least", h.least, between(1, 256), {"minimum number of hulls"});
  f.integer("most", h.most, between(1, 256), {"maximum number of hulls"});
  f.number("margin", h.margin, between(1e-6, 0.05), {"collision margin around the hulls; the default is never more than 0.5 % of the body's diagonal", "m"});
  if (f.reading() && h.least > h.most) f.fail("least", "must not exceed \"most\"");
}

void describe(Fields& f, ScriptStep& s) {
  f.number("from", s.from, at_least(0), {"start time", "s"});
  f.number("until", s.until, at_least(0), {"end time; absent: never", "s"});
  f.vector("velocity", s.velocity, {"imposed velocity", "m/s"});
  f.vector("spin", s.spin, {"imposed angular velocity", "rad/s"});
  f.object("when", s.when, {"contact from which \"from\" and \"until\" count; absent: the start"});
  if (f.reading() && s.until && *s.until <= s.from) f.fail("until", "must be later than \"from\"");
  if (f.reading() && !s.velocity && !s.spin) f.fail("", "needs \"velocity\" or \"spin\"");
}

void describe(Fields& f, NodeClip& c, std::string_view file_help, std::string_view node_help) {
  f.text("file", c.file, {file_help});
  f.text("node", c.node, {node_help});
  f.text("clip", c.clip, {"name of one animation of the file; absent: for each node the first that moves it"});
  f.number_unless("start", 0, c.start, between(-1e6, 1e6), {"time of the scene at which that of the file is 0", "s"});
  f.number_unless("speed", 1, c.speed, between(1e-3, 1e3), {"factor of its speed"});
  f.flag_unless("loop", false, c.loop, {"whether it begins again at its first key after the last; otherwise it waits there"});
}

void describe(Fields& f, NodeAnimation& a) {
  describe(f, a.clip, "GLB or glTF file with the animation", "name of the node whose place the body takes; \"above/below\" where several have that name");
  f.object("when", a.when, {"contact from which \"start\" counts; absent: the start of the scene"});
  f.require("file"), f.require("node");
}

void describe(Fields& f, ParticleFile& p) {
  f.text("file", p.file, {"text file with three coordinates for each particle"});
  f.number("scale", p.scale, between(1e-6, 1e6), {"scale factor of the coordinates"});
  f.vector("at", p.at, {"position of the file's origin in the body", "m"});
  f.vector("velocity", p.velocity, {"initial velocity, added to the body's own", "m/s"});
  f.require("file");
}

void describe(Fields& f, Place& p) {
  f.text("name", p.name, {"name of this body; absent: the repeated body's name and a number"});
  f.vector("at", p.at, {"position of the body's origin", "m"});
  f.vector("turn", p.turn, {"rotation about x, then y, then z; absent: the body's own", "degrees"});
}

namespace {

constexpr size_t kMostCorners = 200;  // of a polygon

// Within these, volumes, masses and moments of inertia stay far from the ends of the numbers.
const Limits kSize = between(1e-6, 1e6);
const Limits kMass = between(1e-9, 1e12);
const Limits kDensity = between(1e-6, 1e9);

constexpr size_t kMaxBodies = 100'000;  // each takes some kilobytes before it is even built

/// Keys of which a body has exactly one.
std::vector<std::string> shape_keys() {
  std::vector<std::string> keys = {"box", "sphere", "cylinder", "capsule", "plane", "polygon", "mesh", "asset"};
  const MethodSettings all;
  for_each_method(all, [&](const auto& settings) {
    if (info_of(settings).need == BodyNeed::OwnShape) keys.emplace_back(info_of(settings).key);
  });
  keys.emplace_back("particles");
  return keys;
}

std::string shape_complaint() {
  std::string text = "a body needs a shape: ";
  const std::vector<std::string> keys = shape_keys();
  for (size_t i = 0; i < keys.size(); ++i) text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == keys.size() ? " or " : ", ", keys[i]);
  return text;
}

void check_shape(Fields& f, const BodyDescription& b) {
  int shapes = 0;
  for (const std::string& key : shape_keys()) shapes += f.has(key) ? 1 : 0;
  if (shapes != 1) return f.fail("", shapes == 0 ? shape_complaint() : "a body has exactly one shape");
  for (const auto& [key, sizes] : {std::pair{"box", &b.box}, {"cylinder", &b.cylinder}, {"capsule", &b.capsule}}) {
    for (const double size : sizes->value_or(std::vector<double>{})) {
      if (size <= 0) return f.fail(key, "sizes must be more than 0");
      if (size < kSize.low || size > kSize.high) return f.fail(key, fmt::format("sizes must be between {} and {} m", kSize.low, kSize.high));
    }
  }
  for (const auto& [key, name] : {std::pair{"mesh", &b.mesh}, {"asset", &b.asset}}) {
    if (f.has(key) && name->empty()) return f.fail(key, "must not be empty");
  }
  if (b.capsule && (*b.capsule)[1] < 2 * (*b.capsule)[0]) return f.fail("capsule", "the height includes the caps: it must be at least twice the radius");
  if (b.polygon) {
    if (b.polygon->size() < 6 || b.polygon->size() % 2 != 0) return f.fail("polygon", "needs three corners or more, each with x and y");
    for (const double size : *b.polygon) {
      if (std::abs(size) > kSize.high) return f.fail("polygon", fmt::format("corners must be within {} m", kSize.high));
    }
    if (b.polygon->size() > 2 * kMostCorners) return f.fail("polygon", fmt::format("has {} corners; at most {}", b.polygon->size() / 2, kMostCorners));
    std::vector<Vec2> corners;
    Ring ring;
    for (size_t i = 0; i < b.polygon->size(); i += 2) ring.push_back(static_cast<int>(corners.size())), corners.emplace_back((*b.polygon)[i], (*b.polygon)[i + 1]);
    if (meets_itself(corners, ring)) return f.fail("polygon", "its sides meet each other");
    if (std::abs(doubled_area(corners, ring)) < 2 * kSize.low * kSize.low) return f.fail("polygon", "has no area");
  }
  if (b.plane && Vec3((*b.plane)[0], (*b.plane)[1], (*b.plane)[2]).norm() < 1e-9) return f.fail("plane", "the normal has no length");
  if (b.quaternion && std::hypot(std::hypot((*b.quaternion)[0], (*b.quaternion)[1]), std::hypot((*b.quaternion)[2], (*b.quaternion)[3])) < 1e-9) {
    return f.fail("quaternion", "has no length");
  }
  if (f.has("quaternion") && f.has("turn")) return f.fail("quaternion", "give either \"turn\" or \"quaternion\"");
}

void check_motion(Fields& f, const BodyDescription& b) {
  if (b.plane && f.has("motion") && b.motion != Motion::Static) return f.fail("motion", "a plane is always static");
  if (b.motion == Motion::Static && (!b.script.empty() || !b.velocity.isZero() || !b.spin.isZero())) {
    return f.fail(b.script.empty() ? (b.velocity.isZero() ? "spin" : "velocity") : "script", "a static body does not move; use \"motion\": \"scripted\"");
  }
  if (b.animation && !f.failed()) {
    if (b.plane) return f.fail("animation", "a plane is always static");
    if (b.motion != Motion::Scripted) return f.fail("motion", "a body with an \"animation\" is scripted");
    if (!b.script.empty()) return f.fail("script", "give either \"animation\" or \"script\"");
    if (!b.velocity.isZero() || !b.spin.isZero()) return f.fail(b.velocity.isZero() ? "spin" : "velocity", "an \"animation\" gives the velocity");
    if (b.animation->clip.file.empty()) return f.fail("animation", "its \"file\" must not be empty");
    if (b.animation->clip.node.empty()) return f.fail("animation", "its \"node\" must not be empty");
  }
  if (b.release && b.motion != Motion::Dynamic) return f.fail("release", "only a dynamic body can be let go");
  if (b.release && method_of(b, MethodKind::Matter)) return f.fail("release", fmt::format("a {} is let go by the \"end\" of \"{}\"", method_of(b, MethodKind::Matter)->noun, method_of(b, MethodKind::Matter)->held_by));
  if (f.has("mass") && f.has("density")) return f.fail("mass", "give either \"mass\" or \"density\"");
  if (f.has("places") && b.places.empty()) return f.fail("places", "must not be empty");
  if (b.end && *b.end <= b.start) return f.fail("end", "must be later than \"start\"");
}

/// Keys of methods that are made of particles.
std::string matter_keys() {
  std::string keys;
  const MethodSettings all;
  for_each_method(all, [&](const auto& settings) {
    if (info_of(settings).kind == MethodKind::Matter && info_of(settings).need != BodyNeed::Drawing) keys += fmt::format("{}{}", keys.empty() ? "" : "\" or \"", info_of(settings).key);
  });
  return keys;
}

/// A layer or bonds on a rigid body.
void check_on_rigid(Fields& f, const BodyDescription& b, const MethodInfo& method) {
  const bool is_solid = method.need == BodyNeed::Solid && !b.plane && b.particles.empty() && (!shape_method(b) || method.kind == MethodKind::Layer);
  if (b.asset.empty() && !is_solid) {
    return f.fail(method.key, method.need == BodyNeed::Solid ? fmt::format("a body with \"{}\" needs an inside: a box, a sphere, a mesh, an asset", method.key)
                                                             : fmt::format("only a body made from an \"asset\" has {}", method.name));
  }
  if (b.motion != Motion::Dynamic) return f.fail(method.key, fmt::format("only dynamic bodies {}", method.verb));
  if (method.kind != MethodKind::Bonds) return;
  for_each_method(b.methods, [&](const auto& settings) {
    const MethodInfo& other = info_of(settings);
    if (settings && &other != &method && other.kind == MethodKind::Bonds && !f.failed()) {
      f.fail(method.key, fmt::format("the pieces of a body are held together by \"{}\" or by \"{}\", not by both", other.key, method.key));
    }
  });
}

/// Bonds that make the pieces of a body themselves.
void check_own_shape(Fields& f, const BodyDescription& b, const MethodInfo& method) {
  if (b.motion != Motion::Dynamic) return f.fail("motion", fmt::format("a {} is always dynamic; hold it by \"{}\"", method.noun, method.held_by));
  if (f.has("mass")) {
    return f.fail("mass", fmt::format("a {} weighs what its sections and materials say; set the density of a material, or \"mass\" or \"density\" of a piece", method.noun));
  }
  if (b.scale != 1) f.fail("scale", fmt::format("a {} has its sizes inside \"{}\"", method.noun, method.key));
}

void check_matter(Fields& f, const BodyDescription& b, const MethodInfo& method) {
  std::vector<std::string> others = {"plane"};
  for (const bool own_shape : {true, false}) {
    for_each_method(b.methods, [&](const auto& settings) {
      const MethodInfo& other = info_of(settings);
      if (&other != &method && (other.need == BodyNeed::OwnShape) == own_shape) others.emplace_back(other.key);
    });
  }
  for (const std::string& key : others) {
    if (f.has(key)) return f.fail(method.key, fmt::format("a body with \"{}\" cannot be made of {}", key, method.name));
  }
  if (b.motion != Motion::Dynamic) return f.fail("motion", fmt::format("a {} is always dynamic; hold it by \"{}\"", method.noun, method.held_by));
  if (method.need == BodyNeed::Drawing && b.asset.empty()) return f.fail(method.key, fmt::format("only a body made from an \"asset\" that is a drawing can have {}; make one with 'crumple sprite'", method.name));
  if (!b.script.empty()) return f.fail("script", fmt::format("a {} is directed by \"{}\"", method.noun, method.directed_by.empty() ? method.held_by : method.directed_by));
  if (b.asleep) return f.fail("asleep", fmt::format("a {} cannot start asleep", method.noun));
  const HullsDescription usual;
  if (b.hulls.tolerance || b.hulls.least != usual.least || b.hulls.most != usual.most || b.hulls.margin != usual.margin) {
    return f.fail("hulls", fmt::format("a {} collides by its particles and has no hulls", method.noun));
  }
}

void check_methods(Fields& f, const BodyDescription& b) {
  std::vector<const MethodInfo*> there;
  for_each_method(b.methods, [&](const auto& settings) {
    if (settings) there.push_back(&info_of(settings));
  });
  for (const MethodInfo* method : there) {
    if (f.failed()) return;
    if (method->kind == MethodKind::Matter) {
      check_matter(f, b, *method);
    } else if (method->need == BodyNeed::OwnShape) {
      check_own_shape(f, b, *method);
    } else if (!method_of(b, MethodKind::Matter)) {
      check_on_rigid(f, b, *method);
    }
  }
  if (!f.failed() && !b.particles.empty() && !method_of(b, MethodKind::Matter)) f.fail("particles", fmt::format("particles hold together by \"{}\"", matter_keys()));
}

}  // namespace

void describe(Fields& f, BodyDescription& b) {
  f.text("name", b.name, {"name in reports and changes"});
  f.text("preset", b.preset, {"kind of thing that gives values for absent keys, such as \"steel drum\"; 'crumple list presets' shows them"});
  f.numbers("box", b.box, 3, {"box: full sizes along x, y, z", "m"});
  f.number("sphere", b.sphere, kSize, {"sphere: radius", "m"});
  f.numbers("cylinder", b.cylinder, 2, {"cylinder along y: radius, height", "m"});
  f.numbers("capsule", b.capsule, 2, {"capsule along y: radius, height with caps", "m"});
  f.numbers("plane", b.plane, 4, {"infinite plane n.x = d: normal x, y, z and d; always static"});
  f.numbers("polygon", b.polygon, 0, {"prism of a flat scene: corners x, y, x, y, ... counter-clockwise; it is 1 m deep", "m"});
  f.text("mesh", b.mesh, {"surface from an OBJ, PLY or GLB file; a dynamic one must be convex, or closed and with a method that fills it"});
  f.text("asset", b.asset, {"deformable body: name of an entry of \"assets\""});
  for_each_method(b.methods, [&](auto& settings) {
    if (info_of(settings).need == BodyNeed::OwnShape) f.object(info_of(settings).key, settings, {info_of(settings).key_help});
  });
  f.list("particles", b.particles, {"cloud of particles from files; needs \"clusters\""});
  f.vector("at", b.at, {"position of its origin", "m"});
  f.vector("turn", b.turn, {"rotation about x, then y, then z", "degrees"});
  f.numbers("quaternion", b.quaternion, 4, {"rotation as a quaternion x, y, z, w, instead of \"turn\""});
  f.number("scale", b.scale, between(1e-6, 1e6), {"scale factor of a mesh, an asset or particles"});
  f.list("places", b.places, {"places of identical bodies, one at each, instead of one at \"at\""});
  f.object("animation", b.animation, {"animated node of a GLB file that the body follows; its motion is then scripted"});
  if (b.plane) b.motion = Motion::Static;
  if (b.animation) b.motion = Motion::Scripted;
  f.choice<Motion>("motion", b.motion, {{"dynamic", Motion::Dynamic}, {"static", Motion::Static}, {"scripted", Motion::Scripted}},
                   {"kind of motion: by physics, none, or by the script alone"});
  f.number("mass", b.mass, kMass, {"mass, instead of a density", "kg"});
  f.number("density", b.density, kDensity, {"density; absent: 1000, if there is no mass", "kg/m^3"});
  f.object("material", b.material, {"contact material"});
  f.vector("velocity", b.velocity, {"initial velocity", "m/s"});
  f.vector("spin", b.spin, {"initial angular velocity", "rad/s"});
  f.list("script", b.script, {"intervals of imposed velocity; between them a dynamic body is free and a scripted one stands still"});
  f.number("start", b.start, at_least(0), {"time at which the body appears", "s"});
  f.number("end", b.end, more_than(0), {"time at which the body disappears; absent: never", "s"});
  f.object("when", b.when, {"contact at which the body appears; \"start\" and \"end\" count from it; absent: time alone"});
  f.object("release", b.release, {"contact until which the body stands still and is not moved by anything; then it begins with its velocity"});
  f.text("group", b.group, {"collision group, any word"});
  f.texts("ignores", b.ignores, {"collision groups that the body passes through"});
  f.flag("asleep", b.asleep, {"whether the body starts asleep, at rest until something touches it"});
  for_each_method(b.methods, [&](auto& settings) {
    if (info_of(settings).need != BodyNeed::OwnShape) f.object(info_of(settings).key, settings, {info_of(settings).key_help});
  });
  f.object("hulls", b.hulls, {"collision hulls of an asset"});
  f.object("look", b.look, {"appearance"});
  if (f.reading() && !f.failed()) check_shape(f, b), check_motion(f, b), check_methods(f, b);
}

void describe(Fields& f, CameraDescription& c) {
  f.vector("eye", c.eye, {"position of the camera; absent: chosen to show everything that moves", "m"});
  f.vector("target", c.target, {"point that the camera looks at", "m"});
  f.number("fov", c.fov, between(1, 150), {"vertical angle of view; absent: that of the file, or 32", "degrees"});
  describe(f, c.clip, "GLB or glTF file with a camera, still or animated, instead of \"eye\" and \"target\"", "name of the camera in the file; absent: the first");
  if (!f.reading() || f.failed()) return;
  if (!c.clip.file.empty() && (c.eye || c.target)) return f.fail(c.eye ? "eye" : "target", "the \"file\" says where the camera is");
  for (const char* key : {"node", "clip", "start", "speed", "loop"}) {
    if (c.clip.file.empty() && f.has(key)) return f.fail(key, "needs a \"file\"");
  }
}

void describe(Fields& f, Scene& s) {
  f.integer("crumple", s.version, between(1, 1), {"version of this format"});
  f.text("title", s.title, {"title of the scene"});
  f.number("fps", s.fps, between(1, 10000), {"recorded frames per second"});
  f.integer("substeps", s.substeps, between(1, 1000), {"steps per frame; dt = 1 / (fps x substeps)"});
  f.number("seconds", s.seconds, between(0, 36000), {"length of the shot", "s"});
  Keyed<Vec3> gravity = s.gravity_keys.keys.empty() ? Keyed<Vec3>(s.gravity) : s.gravity_keys;
  f.keyed("gravity", gravity, 3, {}, {"acceleration of gravity", "m/s^2"});
  s.gravity = gravity.at(0), s.gravity_keys = gravity.keys.empty() ? Keyed<Vec3>(Vec3(Vec3::Zero())) : gravity;
  f.integer("checkpoint", s.checkpoint, between(1, 1000000),
            {"number of frames between checkpoints; affects the result, because each rebuilds the world"});
  f.integer("iterations", s.iterations, between(1, 10000), {"iterations of the contact solver; 50 for mass ratios above 300"});
  f.flag("sleeping", s.sleeping, {"whether bodies at rest fall asleep, and then cost nothing"});
  f.flag_unless("second_phase", true, s.second_phase,
                {"whether an impact feels the damage it does: what yields or breaks is solved again within the step; false: from the next step on"});
  f.flag_unless("flat", false, s.flat, {"whether the scene lies in the plane z = 0: bodies move along x and y and turn about z; sprites need it"});
  f.number("step", s.step, between(1e-6, 1), {"time step of an imported scene; each frame is the first step at or after its time", "s"});
  std::vector<Include> included;  // what they bring is read by read_included
  f.list("include", included, {"other scene files, whose bodies, joints, forces and assets come along"});
  std::string assembly;  // what it places is read by assemble
  f.text("assembly", assembly, {"GLB or glTF file whose nodes place copies of the bodies that have their names"});
  f.texts("assets", s.assets, {"assets by name: GLB files, or folders of paper 1's authors"});
  f.list("bodies", s.bodies, {"bodies of the scene"});
  f.list("joints", s.joints, {"joints between bodies, or between a body and the world"});
  f.list("forces", s.forces, {"wind, attractors, gravity of regions, explosions"});
  f.object("camera", s.camera, {"camera of previews"});
  f.skipped("resolved", {"masses, densities and camera as computed by 'crumple check'; not read"});
  f.require("crumple");
}

namespace {

/// Writes repeated bodies out, one for each place.
Result<std::vector<BodyDescription>> expand_places(std::vector<BodyDescription> bodies, std::string_view file) {
  size_t count = 0;
  for (const BodyDescription& body : bodies) count += std::max<size_t>(body.places.size(), 1);
  if (count > kMaxBodies) return input_error(fmt::format("{}: /bodies: {} bodies with all their places; there may be at most {}", file, count, kMaxBodies));
  std::vector<BodyDescription> expanded;
  expanded.reserve(count);
  for (BodyDescription& body : bodies) {
    if (body.places.empty()) {
      expanded.push_back(std::move(body));
      continue;
    }
    const std::vector<Place> places = std::move(body.places);
    body.places.clear();
    for (size_t i = 0; i < places.size(); ++i) {
      BodyDescription copy = body;
      copy.name = !places[i].name.empty() ? places[i].name : fmt::format("{} {}", body.name, i + 1);
      copy.at = places[i].at;
      if (places[i].turn) copy.turn = places[i].turn, copy.quaternion.reset();
      expanded.push_back(std::move(copy));
    }
  }
  return expanded;
}

/// Bodies without a name are called after their shape and their place in the file.
void name_bodies(Json& root) {
  Json* bodies = root.find("bodies");
  for (size_t i = 0; bodies && i < bodies->items.size(); ++i) {
    Json& body = bodies->items[i];
    const Json* name = body.find("name");
    const bool named = name && !(name->is_text() && name->text.empty());
    for (const std::string& key : shape_keys()) {
      const Json* shape = body.find(key);
      if (named || !shape) continue;
      Json made = fmt::format("{} {}", key == "asset" ? shape->text : key, i + 1);
      made.line = body.line;
      body["name"] = std::move(made);
      break;
    }
  }
}

/// What is wrong with files or between bodies is found later, when the document is gone: its lines are kept.
void keep_lines(Scene& scene, const Json& root) {
  const Json *bodies = root.find("bodies"), *assets = root.find("assets");
  for (size_t i = 0; i < scene.bodies.size(); ++i) scene.bodies[i].line = bodies->items[i].line;
  for (size_t i = 0; i < scene.joints.size(); ++i) scene.joints[i].line = root.find("joints")->items[i].line;
  for (size_t i = 0; i < scene.forces.size(); ++i) scene.forces[i].line = root.find("forces")->items[i].line;
  if (!assets) return;
  for (const auto& [name, path] : assets->members) scene.asset_lines[name] = path.line;
}

/// All values of a scene that was read are there, so that a preset of a body only counts if it replaces them.
void override_by_new_presets(const Scene& before, Json& json) {
  Json* bodies = json.find("bodies");
  for (size_t i = 0; bodies && i < std::min(bodies->items.size(), before.bodies.size()); ++i) {
    const Json* preset = bodies->items[i].find("preset");
    if (preset && preset->text != before.bodies[i].preset) override_by_preset(bodies->items[i]);
  }
}

/// The first key of a change's path.
std::string first_key(const std::string& change) {
  const size_t end = change.find_first_of("/=", 1);
  return change.empty() || change[0] != '/' || end == std::string::npos ? "" : change.substr(1, end - 1);
}

/// Changes may name the keys of the foreign file as well as ours.
Result<Scene> parse_foreign(Json json, const std::filesystem::path& file, const std::vector<std::string>& changes) {
  const Json ours = scene_schema();
  std::vector<std::string> own, foreign;
  for (const std::string& change : changes) {
    const std::string key = first_key(change);
    const bool is_own = key.empty() || ours.find("properties")->find(key);
    (is_own ? own : foreign).push_back(change);
  }
  for (const std::string& change : foreign) {
    if (Result<void> changed = apply_change(json, change); !changed) return changed.error();
  }
  Result<Scene> scene = is_paper1_scene(json) ? read_paper1_scene(json, file) : read_paper2_scene(json, file);
  if (!scene) return scene.error();
  for (const std::string& change : foreign) {
    const std::string key = first_key(change);
    const bool is_unknown = std::find(scene->notes.begin(), scene->notes.end(), "left out: " + key) != scene->notes.end();
    if (is_unknown) return input_error(fmt::format("--set {}: neither the scene's format nor ours has a key \"{}\"", change, key));
  }
  // What came out must be a scene that our own format allows.
  Scene again;
  if (Result<void> read = Fields::read(scene_json(*scene), file.string(), again); !read) return read.error();
  for (const std::string& change : own) {
    if (Result<void> changed = scene->set(change); !changed) return changed.error();
  }
  return scene;
}

/// A change of what an included file or an assembly has brought cannot be made in the document; it is left for later.
Result<std::vector<std::string>> apply_changes(Json& document, const std::vector<std::string>& changes) {
  std::vector<std::string> later;
  for (const std::string& change : changes) {
    Json changed = document;
    if (Result<void> done = apply_change(changed, change); done) {
      document = std::move(changed);
    } else if (document.find("include") || document.find("assembly")) {
      later.push_back(change);
    } else {
      return done.error();
    }
  }
  return later;
}

/// Files that include each other on the way to the one that is read.
using Chain = std::vector<std::filesystem::path>;

constexpr size_t kDeepest = 16;  // files within files

Result<Scene> parse_in_chain(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& changes, const Chain& chain);

Result<Scene> read_in_chain(const std::filesystem::path& file, Chain chain) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, ignored);
  if (std::find(chain.begin(), chain.end(), whole) != chain.end()) return input_error(fmt::format("{}: includes itself", file.string()));
  if (chain.size() >= kDeepest) return input_error(fmt::format("{}: more than {} files within files", file.string(), kDeepest));
  chain.push_back(whole);
  Result<std::string> text = io::read_file(file);
  if (!text) return text.error();
  return parse_in_chain(*text, file, {}, chain);
}

Result<Scene> parse_in_chain(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& changes, const Chain& chain) {
  const std::string name = file.string();
  Result<Json> json = parse_json(text, name, JsonDialect::Relaxed);
  const auto is_foreign = [](const Json& root) { return is_paper1_scene(root) || is_paper2_scene(root); };
  if (!json) {
    // Scenes of the authors may hold what only their own reader takes.
    Result<Json> foreign = parse_json(text, name, JsonDialect::Foreign);
    if (!foreign || !is_foreign(*foreign)) return json.error();
    json = std::move(foreign);
  }
  if (is_foreign(*json)) return parse_foreign(std::move(*json), file, changes);
  name_bodies(*json);
  const Result<std::vector<std::string>> later = apply_changes(*json, changes);
  if (!later) return later.error();
  name_bodies(*json);  // those that a change has put in
  Scene scene;
  if (Result<void> assembled = assemble(*json, file, scene.notes); !assembled) return assembled.error();
  if (Result<void> filled = fill_presets(*json, name); !filled) return filled.error();
  if (Result<void> read = Fields::read(*json, name, scene); !read) return read.error();
  scene.file = file;
  keep_lines(scene, *json);
  const auto read = [&](const std::filesystem::path& other) { return read_in_chain(other, chain); };
  const Result<Included> included = read_included(scene, *json, read);
  if (!included) return included.error();
  if (Result<void> checked = check_assets(scene); !checked) return checked.error();
  Result<std::vector<BodyDescription>> expanded = expand_places(std::move(scene.bodies), name);
  if (!expanded) return expanded.error();
  scene.bodies = std::move(*expanded);
  put_first(*included, scene);
  if (scene.bodies.size() > kMaxBodies) return input_error(fmt::format("{}: /include: {} bodies; there may be at most {}", name, scene.bodies.size(), kMaxBodies));
  if (Result<void> checked = check_flat(scene); !checked) return checked.error();
  if (Result<void> checked = check_names(scene); !checked) return checked.error();
  for (const std::string& change : *later) {
    if (Result<void> changed = scene.set(change); !changed) return changed.error();
  }
  return scene;
}

}  // namespace

Result<Scene> parse_scene(std::string_view text, const std::filesystem::path& file, const std::vector<std::string>& changes) {
  std::error_code ignored;
  return parse_in_chain(text, file, changes, {std::filesystem::weakly_canonical(file, ignored)});
}

Result<Scene> load_scene(const std::filesystem::path& file, const std::vector<std::string>& changes) {
  Result<std::string> text = io::read_file(file);
  if (!text) return text.error();
  return parse_scene(*text, file, changes);
}

Json scene_json(const Scene& scene) {
  return Fields::write(scene);
}

Json scene_schema() {
  Json schema = Fields::schema<Scene>();
  Json root = Json::object({{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Crumple scene"}});
  for (auto& member : schema.members) root.members.push_back(std::move(member));
  return root;
}

Result<void> Scene::set(const std::string& change) {
  Json json = scene_json(*this);
  if (Result<void> changed = apply_change(json, change); !changed) return changed.error();
  override_by_new_presets(*this, json);
  Result<Scene> scene = parse_scene(write_json(json), file);
  if (!scene) return scene.error();
  scene->notes = notes;
  *this = std::move(*scene);
  return {};
}

int Scene::frame_count() const {
  return static_cast<int>(std::floor(seconds * fps + 1e-6));
}

Mat3 rotation_from_degrees(const Vec3& turn) {
  const Vec3 angles = turn * (std::numbers::pi / 180);
  using Eigen::AngleAxisd;
  return (AngleAxisd(angles.z(), Vec3::UnitZ()) * AngleAxisd(angles.y(), Vec3::UnitY()) * AngleAxisd(angles.x(), Vec3::UnitX())).toRotationMatrix();
}

Mat3 rotation_of(const BodyDescription& body) {
  if (!body.quaternion) return rotation_from_degrees(body.turn.value_or(Vec3::Zero()));
  const auto& q = *body.quaternion;
  return Quat(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
}

std::string place_in_file(const Scene& scene, int line) {
  return line > 0 ? fmt::format("{}:{}", scene.file.string(), line) : scene.file.string();
}

std::filesystem::path resolve_path(const Scene& scene, const std::string& file) {
  const std::filesystem::path path = file;
  return path.is_absolute() ? path : scene.file.parent_path() / path;
}

}  // namespace crumple
