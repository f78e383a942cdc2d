#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/render/camera.h"
#include "crumple/scene/animation.h"
#include "crumple/world/world.h"

namespace crumple::cli {
namespace {

struct CheckOptions {
  std::string scene;
  std::vector<std::string> changes;
};

Json vector_json(const Vec3& vector) {
  Json json = Json::array();
  for (const double part : vector) json.push(part);
  return json;
}

Json masses_json(const World& world) {
  Json bodies = Json::array();
  for (const Body& body : world.bodies()) {
    if (!(body.mass > 0)) continue;
    Json entry = Json::object({{"name", body.description->name}, {"mass", body.mass}});
    if (const double volume = volume_of(body); volume > 0) entry["density"] = body.mass / volume;
    bodies.push(std::move(entry));
  }
  return bodies;
}

/// The scene's own camera. What it leaves open is fitted to the start here, and to all frames when a recording is drawn.
Json camera_json(const World& world) {
  const CameraDescription& given = world.scene().camera;
  render::FitSettings fit;
  if (given.fov) fit.fov_degrees = *given.fov;
  const Frame start = world.frame();
  if (start.flat) fit.direction = Vec3::UnitZ();
  const render::Camera fitted = render::fit_camera(std::span(&start, 1), fit);
  if (const Result<std::optional<io::NodeMotion>> motion = read_camera(world.scene()); motion && *motion) {
    const Transform place = (*motion)->at(clip_time(given.clip, **motion, 0));
    return Json::object({{"eye", vector_json(place.translation)},
                         {"target", vector_json(place * Vec3(0, 0, -1))},
                         {"fov", given.fov.value_or((*motion)->fov_degrees.value_or(fit.fov_degrees))},
                         {"from", (*motion)->moves() ? "the file, at the start" : "the file"}});
  }
  const bool is_given = given.eye && given.target;
  return Json::object({{"eye", vector_json(is_given ? *given.eye : fitted.eye)},
                       {"target", vector_json(is_given ? *given.target : fitted.target)},
                       {"fov", fit.fov_degrees},
                       {"from", is_given ? "the scene" : "where bodies are at the start"}});
}

int run(const CheckOptions& options) {
  Result<Scene> scene = load_scene(options.scene, options.changes);
  if (!scene) return print_error(scene.error());
  Result<World> world = World::build(*scene);  // also reads and checks everything that the scene names
  if (!world) return print_error(world.error());
  for (const std::string& note : scene->notes) print_message("note: {}\n", note);
  for (const std::string& note : unused_animations(*scene)) print_message("note: {}\n", note);
  for (const std::string& warning : scene_warnings(*scene)) warn(warning);
  for (const std::string& advice : world->advice()) warn(advice);
  for (const std::string& warning : warnings_of(world->bodies())) warn(warning);
  Json json = scene_json(*scene);
  json["resolved"] = Json::object({{"bodies", masses_json(*world)}, {"camera", camera_json(*world)}});
  print("{}\n", write_json(json));
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  Command command(app, "check", "Validate a scene and print it with every value resolved");
  command.add_option("scene", options->scene, "Scene file (.json)").required();
  command.add_option("--set", options->changes, "Change a value first").single();
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
