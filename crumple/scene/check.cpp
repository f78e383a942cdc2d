#include "crumple/scene/check.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "crumple/core/suggest.h"

namespace crumple {
namespace {

using rigid::Motion;

using BodyIndex = std::map<std::string, const BodyDescription*>;

/// A joint needs two ends, and one that can move.
Result<void> check_ends(const BodyIndex& bodies, const JointDescription& joint, const std::string& where) {
  if (joint.body == joint.to) return input_error(fmt::format("{}/to: a body cannot be joined to itself", where));
  const auto moves = [&](const std::string& name) {
    const auto found = bodies.find(name);
    return found != bodies.end() && found->second->motion == Motion::Dynamic;
  };
  if (moves(joint.body) || moves(joint.to)) return {};
  return input_error(fmt::format("{}: joins nothing that moves; one of the bodies must be dynamic", where));
}

/// What is wrong with naming this body as something to be fixed to; empty if nothing is.
std::string complaint_of_holder(const BodyIndex& bodies, const std::string& name) {
  if (name.empty()) return "";
  const auto found = bodies.find(name);
  if (found == bodies.end()) {
    std::vector<std::string> names;
    for (const auto& [known, body] : bodies) names.push_back(known);
    return fmt::format("there is no body \"{}\"{}", name, suggestion(name, names));
  }
  const MethodInfo* matter = method_of(*found->second, MethodKind::Matter);
  if (!matter) return "";
  return fmt::format("\"{}\" is made of {}, and nothing can be fixed to it; hold it by \"{}\", or let it rest on something", name, matter->name, matter->held_by);
}

/// Bodies that the settings of methods refer to.
Result<void> check_named_bodies(const Scene& scene, const BodyIndex& bodies) {
  for (const BodyDescription& body : scene.bodies) {
    std::string wrong;
    for_each_method(body.methods, [&](const auto& settings) {
      if (!settings) return;
      const MethodInfo& method = info_of(settings);
      for (const BodyName& named : bodies_named(*settings)) {
        const std::string complaint = named.name == body.name ? fmt::format("a {} cannot hold itself", method.noun) : complaint_of_holder(bodies, named.name);
        if (wrong.empty() && !complaint.empty()) {
          wrong = fmt::format("{}: /bodies/{}/{}/{}: {}", place_in_file(scene, body.line), body.name, method.key, named.where, complaint);
        }
      }
    });
    if (!wrong.empty()) return input_error(wrong);
  }
  return {};
}

/// A word of a list that names bodies must be the name or the group of one.
Result<void> check_named(const Scene& scene, const std::vector<std::string>& named, const std::string& where) {
  for (size_t i = 0; i < named.size(); ++i) {
    std::vector<std::string> words;
    for (const BodyDescription& body : scene.bodies) {
      words.push_back(body.name);
      if (!body.group.empty()) words.push_back(body.group);
    }
    if (std::find(words.begin(), words.end(), named[i]) != words.end()) continue;
    return input_error(fmt::format("{}/{}: there is no body or group \"{}\"{}", where, i, named[i], suggestion(named[i], words)));
  }
  return {};
}

/// Bodies that forces and events speak of.
Result<void> check_events(const Scene& scene) {
  const auto check = [&](const std::optional<When>& when, const std::string& where) { return when ? check_named(scene, when->contact, where + "/contact") : Result<void>(); };
  for (const BodyDescription& body : scene.bodies) {
    const std::string where = fmt::format("{}: /bodies/{}", place_in_file(scene, body.line), body.name);
    if (Result<void> checked = check(body.when, where + "/when"); !checked) return checked.error();
    if (Result<void> checked = check(body.release, where + "/release"); !checked) return checked.error();
    if (body.animation) {
      if (Result<void> checked = check(body.animation->when, where + "/animation/when"); !checked) return checked.error();
    }
    for (size_t i = 0; i < body.script.size(); ++i) {
      if (Result<void> checked = check(body.script[i].when, fmt::format("{}/script/{}/when", where, i)); !checked) return checked.error();
    }
  }
  for (size_t i = 0; i < scene.forces.size(); ++i) {
    const std::string where = fmt::format("{}: /forces/{}", place_in_file(scene, scene.forces[i].line), i);
    if (Result<void> checked = check(scene.forces[i].when, where + "/when"); !checked) return checked.error();
    if (Result<void> checked = check_named(scene, scene.forces[i].bodies, where + "/bodies"); !checked) return checked.error();
  }
  return {};
}

}  // namespace

const MethodInfo* method_of(const BodyDescription& body, MethodKind kind) {
  const MethodInfo* found = nullptr;
  for_each_method(body.methods, [&](const auto& settings) {
    if (settings && !found && info_of(settings).kind == kind) found = &info_of(settings);
  });
  return found;
}

const MethodInfo* shape_method(const BodyDescription& body) {
  const MethodInfo* found = nullptr;
  for_each_method(body.methods, [&](const auto& settings) {
    if (settings && info_of(settings).need == BodyNeed::OwnShape) found = &info_of(settings);
  });
  return found;
}

Result<void> check_assets(const Scene& scene) {
  std::vector<std::string> asset_names;
  for (const auto& [name, path] : scene.assets) asset_names.push_back(name);
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDescription& body = scene.bodies[i];
    if (body.asset.empty() || scene.assets.count(body.asset) > 0) continue;
    return input_error(fmt::format("{}/asset: there is no asset \"{}\"{}", fmt::format("{}: /bodies/{}", place_in_file(scene, body.line), i), body.asset,
                                   suggestion(body.asset, asset_names, "; name it under \"assets\"")));
  }
  return {};
}

Result<void> check_names(const Scene& scene) {
  BodyIndex bodies;
  for (const BodyDescription& body : scene.bodies) {
    if (!bodies.emplace(body.name, &body).second) {
      return input_error(fmt::format("{}: /bodies: two bodies are called \"{}\"; names must differ", place_in_file(scene, body.line), body.name));
    }
  }
  for (size_t i = 0; i < scene.joints.size(); ++i) {
    for (const auto& [key, name] : {std::pair{"body", &scene.joints[i].body}, {"to", &scene.joints[i].to}}) {
      const std::string complaint = complaint_of_holder(bodies, *name);
      if (!complaint.empty()) return input_error(fmt::format("{}/{}: {}", fmt::format("{}: /joints/{}", place_in_file(scene, scene.joints[i].line), i), key, complaint));
    }
    if (Result<void> checked = check_ends(bodies, scene.joints[i], fmt::format("{}: /joints/{}", place_in_file(scene, scene.joints[i].line), i)); !checked) return checked.error();
  }
  if (Result<void> checked = check_events(scene); !checked) return checked.error();
  return check_named_bodies(scene, bodies);
}

Result<void> check_flat(const Scene& scene) {
  for (const BodyDescription& body : scene.bodies) {
    const auto wrong = [&](std::string_view key, const std::string& what) { return input_error(fmt::format("{}: /bodies/{}/{}: {}", place_in_file(scene, body.line), body.name, key, what)); };
    const MethodInfo* matter = method_of(body, MethodKind::Matter);
    const bool is_drawing = matter && matter->need == BodyNeed::Drawing;
    if (!scene.flat) {
      if (is_drawing) return wrong(matter->key, "drawings live in a plane; say \"flat\": true in the scene");
      if (body.polygon) return wrong("polygon", "polygons are for flat scenes; say \"flat\": true in the scene");
      continue;
    }
    if (matter && !is_drawing) return wrong(matter->key, fmt::format("a body of {} would leave the plane of a flat scene", matter->name));
    if (body.plane && (rotation_of(body) * Vec3((*body.plane)[0], (*body.plane)[1], (*body.plane)[2]).normalized()).head<2>().norm() < 1 - 1e-9) return wrong("plane", "in a flat scene the normal of a plane has no z");
    if (body.motion == Motion::Static || body.plane) continue;
    if (body.animation) return wrong("animation", "in a flat scene bodies follow a \"script\"");
    const Mat3 turn = rotation_of(body);
    if (std::abs(turn(2, 2) - 1) > 1e-9) return wrong("turn", "in a flat scene bodies turn about z alone");
    if (std::abs(body.at.z()) > 1e-12) return wrong("at", "in a flat scene z is 0");
    if (body.velocity.z() != 0) return wrong("velocity", "in a flat scene nothing moves along z");
    if (body.spin.head<2>().norm() != 0) return wrong("spin", "in a flat scene bodies turn about z alone");
  }
  bool leaves = scene.gravity.z() != 0;
  for (const auto& [time, gravity] : scene.gravity_keys.keys) leaves = leaves || gravity.z() != 0;
  if (scene.flat && leaves) return input_error(fmt::format("{}: /gravity: in a flat scene nothing moves along z", scene.file.string()));
  return {};
}

Result<void> check_scene(const Scene& scene) {
  // What is written down must be what the reader of files would take.
  Scene again;
  const std::string name = scene.file.empty() ? "scene" : scene.file.string();
  if (Result<void> read = Fields::read(scene_json(scene), name, again); !read) return read.error();
  if (Result<void> checked = check_assets(scene); !checked) return checked.error();
  if (Result<void> checked = check_flat(scene); !checked) return checked.error();
  return check_names(scene);
}

}  // namespace crumple
