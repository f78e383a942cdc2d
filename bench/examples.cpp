#include <algorithm>
#include <limits>

#include "bench/bench.h"
#include "crumple/core/timer.h"
#include "crumple/world/world.h"

namespace crumple::bench {
namespace {

using Examples = AtWork<examples::Settings, examples::Model, examples::State>;

struct SkinTimes {
  double ours, plain;  // ns per vertex
};

/// Our kernel against the plain way, one vertex at a time in double precision, on a body that has been through the scene.
SkinTimes time_skinning(const Examples& worn) {
  const Skin& skin = worn.model.body->skin;
  const std::vector<float>& weights = worn.state.weights;
  std::vector<Vec3f> positions(skin.vertices);
  constexpr int kRounds = 20;
  const double per_call = 1e9 / kRounds / skin.vertices;
  SkinTimes times{};
  times.ours = per_call * least_seconds(7, [&] {
                 for (int i = 0; i < kRounds; ++i) skin_all(skin, weights, positions);
               });
  std::vector<double> row(skin.examples);
  Vec3 sum = Vec3::Zero();
  times.plain = 1e9 / skin.vertices * least_seconds(5, [&] {
                  for (int v = 0; v < skin.vertices; ++v) {
                    std::copy_n(&weights[static_cast<size_t>(v) * skin.examples], skin.examples, row.begin());
                    sum += skin_vertex(skin, v, row);
                  }
                });
  if (!sum.allFinite()) times.plain = 0;  // the sum is used, so the loop is kept
  return times;
}

double body_bytes(const Body& body) {
  double bytes = sizeof(Body);
  for (const Layer& layer : body.layers) {
    const auto& state = std::get<Examples>(layer).state;
    bytes += static_cast<double>(sizeof(float) * (state.weights.size() + state.pending.size()) + sizeof(Vec3f) * state.positions.size() + state.active.size());
  }
  size_t points = 0;
  for (const std::vector<int>& hull : body.solid->hulls.vertices) points += hull.size();
  bytes += static_cast<double>(sizeof(double) * body.vertex_masses.size());
  bytes += static_cast<double>(2 * sizeof(Vec3) * points);  // hull points here and in the engine
  return bytes;
}

Result<World> simulate(const Scene& scene, int frames) {
  Result<World> world = World::build(scene);
  for (int i = 0; world && i < frames; ++i) world->step_frame();
  return world;
}

}  // namespace

/// The pachinko scene as it is, and with bodies that stay rigid as the baseline.
Result<Json> run_examples(const Request&) {
  Result<Scene> scene = load_scene(project_file("scenes/pachinko.json"));
  if (!scene) return scene.error();
  constexpr int kFrames = 480;
  Result<World> crumpling = simulate(*scene, kFrames);
  if (!crumpling) return crumpling.error();
  Scene rigid = *scene;
  for (BodyDescription& body : rigid.bodies) {
    if (auto& examples = body.of<examples::Settings>()) examples->gain = 0;
  }
  Result<World> baseline = simulate(rigid, kFrames);
  if (!baseline) return baseline.error();
  SkinTimes skin{};
  const Body* sample = nullptr;
  double bodies = 0;
  for (const Body& body : crumpling->bodies()) {
    if (body.layers.empty()) continue;
    const SkinTimes times = time_skinning(std::get<Examples>(body.layers.back()));
    skin.ours += times.ours, skin.plain += times.plain, ++bodies;
    sample = &body;
  }
  if (!sample) return input_error("scenes/pachinko.json: has no body that can crumple");

  const StepTimings& t = crumpling->timings();
  const double steps = static_cast<double>(t.steps);
  Json json = Json::object({{"scene", "pachinko"}, {"frames", kFrames}, {"steps", steps}, {"hits", static_cast<double>(t.hits)}});
  json["rigid_ms_per_step"] = 1e3 * t.rigid / steps;
  json["deform_ms_per_step"] = 1e3 * t.deform / steps;
  json["deform_us_per_hit"] = 1e6 * t.deform / std::max(1.0, static_cast<double>(t.hits));
  json["deform_over_rigid"] = t.deform / t.rigid;
  json["rigid_over_uncrumpled"] = t.rigid / baseline->timings().rigid;
  json["total_over_uncrumpled"] = (t.rigid + t.deform) / (baseline->timings().rigid + baseline->timings().deform);
  json["second_phase_share"] = t.second_phase / (t.rigid + t.deform);
  json["second_solves"] = static_cast<double>(t.second_solves);
  json["realtime_factor"] = kFrames / scene->fps / (t.rigid + t.deform);
  json["skin_ns_per_vertex"] = skin.ours / bodies;
  json["skin_speedup_over_plain"] = skin.plain / skin.ours;
  json["body_mb"] = 1e-6 * body_bytes(*sample);
  json["hulls"] = sample->solid->hulls.vertices.size();
  return json;
}

}  // namespace crumple::bench
