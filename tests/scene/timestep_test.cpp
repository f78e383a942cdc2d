#include <numeric>

#include "crumple/core/random.h"
#include "crumple/io/files.h"
#include "tests/scene/drum_scenes.h"

namespace crumple {
namespace {

/// Drums far from each other, each with its own orientation, spin and height.
Scene drops(int substeps, int count) {
  Random random(3);
  const auto any = [&](double most) { return random.range(-most, most); };
  std::string bodies = R"({"plane": [0, 1, 0, 0]})";
  for (int i = 0; i < count; ++i) {
    const double qx = any(1), qy = any(1), qz = any(1), qw = any(1), sx = any(4), sy = any(4), sz = any(4);
    bodies += fmt::format(
        R"(, {{"name": "drum {}", "asset": "drum", "at": [{}, {}, {}], "quaternion": [{}, {}, {}, {}], "spin": [{}, {}, {}], "examples": {{}}}})", i,
        6 * (i % 6), random.range(2.5, 3.5), 6 * (i / 6), qx, qy, qz, qw, sx, sy, sz);
  }
  return drum_scene(fmt::format(R"("substeps": {}, "bodies": [{}])", substeps, bodies));
}

std::vector<double> depths(const World& world) {
  std::vector<double> result;
  for (const int body : crumpling_bodies(world)) result.push_back(damage_of(world.bodies()[static_cast<size_t>(body)]).max_displacement);
  return result;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

uint64_t weights_hash(const World& world) {
  uint64_t hash = 0;
  for (const int body : crumpling_bodies(world)) hash = io::hash_bytes(std::as_bytes(std::span(example_layer(world, body).state.weights)), hash);
  return hash;
}

TEST(TimeStep, the_mean_depth_of_35_impacts_does_not_depend_on_it) {
  std::map<int, std::vector<double>> by_substeps;
  for (const int substeps : {2, 4, 8}) {
    World world = built(drops(substeps, 35));
    run_frames(world, 75);
    by_substeps[substeps] = depths(world);
  }
  std::vector<double> means;
  for (const auto& [substeps, values] : by_substeps) {
    std::vector<double> ratios;  // to the finest step, body by body: a single impact depends on which points touch in the step
    for (size_t i = 0; i < values.size(); ++i) ratios.push_back(values[i] / by_substeps.at(8)[i]);
    std::sort(ratios.begin(), ratios.end());
    means.push_back(mean(values));
    fmt::print("dt 1/{}: mean depth {:.4f} m; single bodies: median ratio {:.2f}, p10-p90 {:.2f}-{:.2f}\n", 60 * substeps, means.back(), ratios[17],
               ratios[3], ratios[31]);
    EXPECT_NEAR(ratios[17], 1, 0.15) << substeps;
  }
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  EXPECT_GT(*least, 0.05);
  EXPECT_LT(*most / *least, 1.10);
}

/// Runs until things have settled, then tells in how many of the following frames some weight changed.
int frames_with_creep(const std::string& bodies, int substeps, int settle, int watch) {
  World world = built(drum_scene(fmt::format(R"("sleeping": false, "substeps": {}, "bodies": [{{"plane": [0, 1, 0, 0]}}, {}])", substeps, bodies)));
  run_frames(world, settle);
  uint64_t hash = weights_hash(world);
  int changed = 0;
  for (int i = 0; i < watch; ++i) {
    world.step_frame();
    const uint64_t now = weights_hash(world);
    changed += now != hash ? 1 : 0;
    hash = now;
  }
  return changed;
}

TEST(TimeStep, a_drum_at_rest_never_creeps) {
  for (const int substeps : {2, 4, 8}) {
    for (const char* turn : {"0, 0, 0", "90, 0, 0", "20, 0, 30"}) {
      const std::string drum = fmt::format(R"({{"name": "drum", "asset": "drum", "at": [0, 0.55, 0], "turn": [{}], "examples": {{}}}})", turn);
      EXPECT_EQ(frames_with_creep(drum, substeps, 150, 120), 0) << "turned " << turn << ", " << substeps << " substeps";
    }
  }
}

TEST(TimeStep, a_pile_at_rest_never_creeps) {
  const std::string pile =
      R"({"name": "drum", "asset": "drum", "material": {"friction": 0.7}, "examples": {}, "places": [{"at": [-0.35, 0.446, -0.35]},
      {"at": [-0.35, 0.446, 0.35]}, {"at": [0.35, 0.446, -0.35]}, {"at": [0.35, 0.446, 0.35]}, {"at": [0, 1.336, 0]}, {"at": [0, 2.226, 0]}]})";
  for (const int substeps : {2, 4, 8}) EXPECT_EQ(frames_with_creep(pile, substeps, 90, 150), 0) << substeps << " substeps";
}

}  // namespace
}  // namespace crumple
