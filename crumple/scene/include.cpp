#include "crumple/scene/include.h"

#include <algorithm>
#include <numbers>
#include <set>

#include <fmt/format.h>

namespace crumple {
namespace {

namespace fs = std::filesystem;

/// Keys of bodies of particles that speak of places in the world.
constexpr const char* kInWorld[] = {"clamps", "projectiles", "planes", "cylinders"};

/// How an included scene is put into another.
struct Placing {
  Include include;
  std::string where;  // of the including file, for messages
  fs::path folder;    // of the included file, seen from the including one
  Mat3 turn;
  std::set<std::string> names;  // of its bodies

  bool moves() const { return !include.at.isZero(0) || (include.turn && !include.turn->isZero(0)); }
  Vec3 place(const Vec3& at) const { return turn * at + include.at; }
  void rename(std::string& name) const {
    if (names.contains(name)) name = include.prefix + name;
  }
  void rebase(std::string& file) const {
    if (!file.empty() && fs::path(file).is_relative()) file = (folder / file).lexically_normal().string();
  }
};

std::string complaint_of_methods(const Placing& placing, const BodyDescription& body) {
  std::string complaint;
  for_each_method(body.methods, [&](const auto& settings) {
    if (!settings || !complaint.empty()) return;
    const MethodInfo& method = info_of(settings);
    for (const BodyName& named : bodies_named(*settings)) {
      if (!named.name.empty() && !placing.include.prefix.empty())
        complaint = fmt::format("\"{}\" names another body in its \"{}\"; include it without a \"prefix\"", body.name, method.key);
    }
    if (method.kind != MethodKind::Matter || !placing.moves()) return;
    const Json written = Fields::write(*settings);
    for (const char* key : kInWorld) {
      if (written.find(key))
        complaint = fmt::format("\"{}\" has \"{}\", which stand in the world; include it without \"at\" and \"turn\"", body.name, key);
    }
  });
  return complaint;
}

Result<void> put_body(const Placing& placing, BodyDescription& body, int line) {
  if (const std::string complaint = complaint_of_methods(placing, body); !complaint.empty())
    return input_error(fmt::format("{}: {}", placing.where, complaint));
  body.line = line;
  placing.rename(body.name);
  if (!body.asset.empty()) body.asset = placing.include.prefix + body.asset;
  placing.rebase(body.mesh);
  if (body.animation) placing.rebase(body.animation->clip.file);
  for (ParticleFile& cloud : body.particles) placing.rebase(cloud.file);
  for_each_method(body.methods, [&](auto& settings) {
    if (!settings) return;
    for (const FileName& file : files(*settings)) placing.rebase(*file.name);
  });
  const auto rename_all = [&](std::optional<When>& when) {
    if (when) std::for_each(when->contact.begin(), when->contact.end(), [&](std::string& name) { placing.rename(name); });
  };
  rename_all(body.when), rename_all(body.release);
  for (ScriptStep& stretch : body.script) rename_all(stretch.when);
  if (body.animation) rename_all(body.animation->when);
  if (!placing.moves()) return {};
  const Quat rotation(placing.turn * rotation_of(body));
  body.at = placing.place(body.at);
  body.turn.reset(), body.quaternion = std::vector<double>{rotation.x(), rotation.y(), rotation.z(), rotation.w()};
  body.velocity = placing.turn * body.velocity, body.spin = placing.turn * body.spin;
  for (ScriptStep& stretch : body.script) {
    if (stretch.velocity) stretch.velocity = placing.turn * *stretch.velocity;
    if (stretch.spin) stretch.spin = placing.turn * *stretch.spin;
  }
  return {};
}

void put_joint(const Placing& placing, JointDescription& joint, int line) {
  joint.line = line;
  placing.rename(joint.body), placing.rename(joint.to);
  if (!placing.moves()) return;
  joint.at = placing.place(joint.at), joint.axis = placing.turn * joint.axis;
  if (joint.up) joint.up = placing.turn * *joint.up;
}

void turn_keys(const Placing& placing, Keyed<Vec3>& keyed) {
  keyed.value = placing.turn * keyed.value;
  for (auto& [time, value] : keyed.keys) value = placing.turn * value;
}

void put_force(const Placing& placing, ForceDescription& force, int line) {
  force.line = line;
  // What acts on all bodies of its file does so no more.
  if (force.bodies.empty()) force.bodies.assign(placing.names.begin(), placing.names.end());
  std::for_each(force.bodies.begin(), force.bodies.end(), [&](std::string& name) { placing.rename(name); });
  if (force.when) std::for_each(force.when->contact.begin(), force.when->contact.end(), [&](std::string& name) { placing.rename(name); });
  if (!placing.moves()) return;
  force.at = placing.place(force.at);
  turn_keys(placing, force.velocity), turn_keys(placing, force.gravity);
  if (!force.box) return;
  const Mat3 turned = placing.turn * (force.turn ? rotation_from_degrees(*force.turn) : Mat3(Mat3::Identity()));
  const Vec3 angles = turned.eulerAngles(2, 1, 0) * (180 / std::numbers::pi);
  force.turn = Vec3(angles[2], angles[1], angles[0]);
}

Result<void> put_assets(const Placing& placing, const Scene& included, Scene& into) {
  for (const auto& [name, file] : included.assets) {
    std::string path = file;
    placing.rebase(path);
    const auto [there, is_new] = into.assets.emplace(placing.include.prefix + name, path);
    if (!is_new && fs::path(there->second).lexically_normal() != fs::path(path).lexically_normal()) {
      return input_error(fmt::format("{}: its asset \"{}\" is another one than that of this scene; give a \"prefix\"", placing.where, name));
    }
  }
  return {};
}

}  // namespace

void describe(Fields& f, Include& include) {
  f.text("file", include.file, {"scene file, seen from the folder of this one"});
  f.text("prefix", include.prefix, {"text put before the names of its bodies and assets"});
  f.vector("at", include.at, {"where its origin is put", "m"});
  f.vector("turn", include.turn, {"rotation of all of it about x, then y, then z", "degrees"});
  f.require("file");
}

Result<Included> read_included(Scene& scene, const Json& document, const ReadIncluded& read) {
  Included all;
  const Json* list = document.find("include");
  if (!list) return all;
  for (size_t i = 0; i < list->items.size(); ++i) {
    const int line = list->items[i].line;
    Placing placing;
    placing.where = fmt::format("{}: /include/{}", place_in_file(scene, line), i);
    if (Result<void> done = Fields::read(list->items[i], scene.file.string(), placing.include); !done) return done.error();
    Result<Scene> included = read(resolve_path(scene, placing.include.file));
    if (!included) return input_error(fmt::format("{}: {}", placing.where, included.error().text));
    placing.folder = fs::path(placing.include.file).parent_path();
    placing.turn = rotation_from_degrees(placing.include.turn.value_or(Vec3::Zero()));
    for (const BodyDescription& body : included->bodies) placing.names.insert(body.name);
    if (Result<void> put = put_assets(placing, *included, scene); !put) return put.error();
    for (BodyDescription& body : included->bodies) {
      if (Result<void> put = put_body(placing, body, line); !put) return put.error();
      all.bodies.push_back(std::move(body));
    }
    for (JointDescription& joint : included->joints) put_joint(placing, joint, line), all.joints.push_back(std::move(joint));
    for (ForceDescription& force : included->forces) put_force(placing, force, line), all.forces.push_back(std::move(force));
  }
  return all;
}

void put_first(const Included& included, Scene& scene) {
  scene.bodies.insert(scene.bodies.begin(), included.bodies.begin(), included.bodies.end());
  scene.joints.insert(scene.joints.begin(), included.joints.begin(), included.joints.end());
  scene.forces.insert(scene.forces.begin(), included.forces.begin(), included.forces.end());
}

}  // namespace crumple
