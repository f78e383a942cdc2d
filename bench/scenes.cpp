#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/child.h"
#include "crumple/core/fields.h"
#include "crumple/core/parallel.h"
#include "crumple/core/suggest.h"
#include "crumple/core/timer.h"
#include "crumple/world/world.h"

namespace crumple::bench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> known_scenes() {
  std::vector<std::string> known;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(project_file("scenes"), ignored)) {
    if (entry.path().extension() == ".json") known.push_back(entry.path().stem().string());
  }
  std::sort(known.begin(), known.end());
  return known;
}

struct NamedScene {
  std::string name;
  Scene scene;
};

Result<NamedScene> find_scene(const std::string& name, const std::vector<std::string>& known) {
  const bool is_file = name.ends_with(".json");
  if (!is_file && std::find(known.begin(), known.end(), name) == known.end()) {
    return input_error(fmt::format("there is no scene \"{}\"{}", name, suggestion(name, known, "; 'crumple list scenes' lists them")));
  }
  Result<Scene> scene = load_scene(is_file ? name : project_file("scenes/" + name + ".json"));
  if (!scene) return scene.error();
  return NamedScene{is_file ? fs::path(name).stem().string() : name, std::move(*scene)};
}

/// With bodies that neither crumple nor break.
Scene uncrumpled(Scene scene) {
  for (BodyDescription& body : scene.bodies) {
    if (auto& examples = body.of<examples::Settings>()) examples->gain = 0;
    body.of<pieces::Settings>().reset();
  }
  return scene;
}

double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

/// Builds a scene and steps it; nothing is recorded. As text, because it comes from another process.
Result<std::string> measure_here(const Scene& scene, const Request& request) {
  set_thread_count(request.threads);
  const double start = cpu_seconds();
  Result<World> world = World::build(scene);
  if (!world) return world.error();
  const double load = cpu_seconds() - start;
  const int frames = static_cast<int>(std::min<double>(scene.frame_count(), std::max(1.0, request.seconds * scene.fps)));
  const double wall_start = wall_seconds();
  while (world->frame_number() < frames) world->step_frame();
  const double wall = wall_seconds() - wall_start;
  const StepTimings& timings = world->timings();
  Json json = Json::object({{"bodies", scene.bodies.size()}});
  json["crumpling"] =
      static_cast<double>(std::count_if(world->bodies().begin(), world->bodies().end(), [](const Body& body) { return !body.layers.empty(); }));
  json["simulated_s"] = world->time(), json["frames"] = frames, json["steps"] = static_cast<double>(timings.steps),
  json["hits"] = static_cast<double>(timings.hits);
  json["steps_per_s"] = ratio(static_cast<double>(timings.steps), wall);
  json["realtime_factor"] = ratio(world->time(), wall);
  json["realtime_factor_cpu"] = ratio(world->time(), timings.rigid + timings.deform);  // as if one core did it all and nothing else ran
  json["fps"] = ratio(frames, timings.rigid + timings.deform);                         // a CPU second, as paper 1 counts
  json["rigid_s"] = timings.rigid, json["deform_s"] = timings.deform, json["load_s"] = load, json["wall_s"] = wall;
  json["deform_over_rigid"] = ratio(timings.deform, timings.rigid);
  json["frozen"] = world->report().frozen.size();
  return write_json(json, 0);
}

Result<Json> measure(const Scene& scene, const Request& request) {
  Result<ChildReport> report = run_in_child([&] { return measure_here(scene, request); }, request.cancel);
  if (!report) return report.error();
  Result<Json> json = parse_json(report->answer, "measurement", JsonDialect::Strict);
  if (json) (*json)["peak_mb"] = report->peak_mb;
  return json;
}

double number(const Json& json, const char* key) {
  const Json* found = json.find(key);
  return found ? found->number : 0;
}

/// A scene, and if wanted the same with bodies that stay rigid.
Result<Json> measure_with_baseline(const Scene& scene, const Request& request) {
  Result<Json> json = measure(scene, request);
  if (!json || !request.baseline) return json;
  Result<Json> baseline = measure(uncrumpled(scene), request);
  if (!baseline) return baseline.error();
  const double rigid = number(*baseline, "rigid_s"), total = rigid + number(*baseline, "deform_s");
  (*json)["rigid_over_uncrumpled"] = ratio(number(*json, "rigid_s"), rigid);
  (*json)["total_over_uncrumpled"] = ratio(number(*json, "rigid_s") + number(*json, "deform_s"), total);
  (*json)["uncrumpled"] = std::move(*baseline);
  return json;
}

}  // namespace

double machine_load() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

Result<Json> run_scenes(const Request& request) {
  const std::vector<std::string> known = known_scenes();
  if (known.empty() && request.scenes.empty()) return input_error("there is no folder scenes/ here; name the scenes' files");
  std::vector<NamedScene> scenes;  // all are read before the first is measured
  for (const std::string& name : request.scenes.empty() ? known : request.scenes) {
    Result<NamedScene> scene = find_scene(name, known);
    if (!scene) return scene.error();
    scenes.push_back(std::move(*scene));
  }
  Json measured = Json::object({});
  for (const NamedScene& scene : scenes) {
    Result<Json> json = measure_with_baseline(scene.scene, request);
    if (!json) return Error{json.error().kind, fmt::format("{}: {}", scene.name, json.error().text)};
    if (request.done) request.done(scene.name, *json);
    measured[scene.name] = std::move(*json);
  }
  return Json::object({{"threads", request.threads}, {"machine_load", machine_load()}, {"scenes", std::move(measured)}});
}

}  // namespace crumple::bench
