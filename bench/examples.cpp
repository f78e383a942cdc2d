#include <algorithm>
#include <limits>

#include "bench/bench.h"
#include "crumple/core/random.h"
#include "crumple/core/timer.h"
#include "crumple/scene/world.h"

namespace crumple::bench {
namespace {

/// Least CPU time of several runs, in seconds.
template <class Work>
double least_seconds(int runs, Work&& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - start);
  }
  return least;
}

/// Weights of a well-used body: each vertex between rest and two examples.
std::vector<float> worn_weights(const Skin& skin) {
  std::vector<float> weights(static_cast<size_t>(skin.vertices) * skin.examples, 0.0f);
  Random random(7);
  for (int v = 0; v < skin.vertices; ++v) {
    float* row = &weights[static_cast<size_t>(v) * skin.examples];
    row[0] = 0.3f;
    row[1 + random.below(skin.examples - 1)] += 0.4f;
    row[1 + random.below(skin.examples - 1)] += 0.3f;
  }
  return weights;
}

struct SkinTimes {
  double ours, plain;  // ns per vertex
};

/// Our kernel against the plain way: one vertex at a time in double precision.
SkinTimes time_skinning(const Skin& skin) {
  const std::vector<float> weights = worn_weights(skin);
  std::vector<Vec3f> positions(skin.vertices);
  constexpr int kRounds = 40;
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
    const auto& state = std::get<ExampleLayer>(layer).state;
    bytes += static_cast<double>(sizeof(float) * (state.weights.size() + state.pending.size()) + sizeof(Vec3f) * state.positions.size() + state.active.size());
  }
  bytes += static_cast<double>(sizeof(double) * body.vertex_masses.size() + sizeof(int) * body.hull_vertices.size());
  bytes += static_cast<double>(2 * sizeof(Vec3) * body.hull_vertices.size());  // hull points here and in the engine
  return bytes;
}

struct Pass {
  StepTimings timings;
  double frames = 0;
};

Result<Pass> simulate(const Scene& scene, int frames) {
  Result<World> world = World::build(scene);
  if (!world) return world.error();
  for (int i = 0; i < frames; ++i) world->step_frame();
  return Pass{world->timings(), static_cast<double>(frames)};
}

}  // namespace

/// The pachinko scene as it is, and with bodies that stay rigid as the baseline.
Result<Json> run_examples() {
  Result<Scene> scene = load_scene(project_file("scenes/pachinko.json"));
  if (!scene) return scene.error();
  constexpr int kFrames = 480;
  Result<Pass> crumpling = simulate(*scene, kFrames);
  if (!crumpling) return crumpling.error();
  Scene rigid = *scene;
  for (BodyDescription& body : rigid.bodies) {
    if (body.examples) body.examples->gain = 0;
  }
  Result<Pass> baseline = simulate(rigid, kFrames);
  if (!baseline) return baseline.error();
  Result<World> world = World::build(*scene);
  if (!world) return world.error();
  const Body* sample = nullptr;
  for (const Body& body : world->bodies()) {
    if (!body.layers.empty()) sample = &body;
  }
  if (!sample) return input_error("scenes/pachinko.json: has no body that can crumple");
  const SkinTimes skin = time_skinning(sample->loaded->rig->skin);

  const StepTimings& t = crumpling->timings;
  const double steps = static_cast<double>(t.steps);
  Json json = Json::object({{"scene", "pachinko"}, {"frames", kFrames}, {"steps", steps}, {"hits", static_cast<double>(t.hits)}});
  json["rigid_ms_per_step"] = 1e3 * t.rigid / steps;
  json["deform_ms_per_step"] = 1e3 * t.deform / steps;
  json["deform_us_per_hit"] = 1e6 * t.deform / std::max(1.0, static_cast<double>(t.hits));
  json["deform_over_rigid"] = t.deform / t.rigid;
  json["rigid_over_uncrumpled"] = t.rigid / baseline->timings.rigid;
  json["total_over_uncrumpled"] = (t.rigid + t.deform) / (baseline->timings.rigid + baseline->timings.deform);
  json["realtime_factor"] = kFrames / scene->fps / (t.rigid + t.deform);
  json["skin_ns_per_vertex"] = skin.ours;
  json["skin_speedup_over_plain"] = skin.plain / skin.ours;
  json["body_mb"] = 1e-6 * body_bytes(*sample);
  json["hulls"] = sample->loaded->hulls.vertices.size();
  return json;
}

}  // namespace crumple::bench
