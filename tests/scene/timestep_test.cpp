#include <numeric>

#include "crumple/core/random.h"
#include "crumple/io/files.h"
#include "tests/scene/scenes.h"

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

/// Twelve drums that fall into a pen of 2.4 m, with some scatter.
Scene heap(int substeps, int seed) {
  Random random(static_cast<uint64_t>(seed));
  const auto any = [&](double most) { return random.range(-most, most); };
  std::string bodies = R"({"name": "floor", "plane": [0, 1, 0, 0]}, {"name": "wall", "motion": "static", "box": [0.2, 3, 2.4], "places": [{"at": [-1.2, 1.5, 0]},
    {"at": [1.2, 1.5, 0]}]}, {"name": "end", "motion": "static", "box": [2.4, 3, 0.2], "places": [{"at": [0, 1.5, -1.2]}, {"at": [0, 1.5, 1.2]}]})";
  for (int i = 0; i < 12; ++i) {
    const double x = (i % 2 ? 0.5 : -0.5) + any(0.03), z = (i / 2 % 2 ? 0.5 : -0.5) + any(0.03), qx = any(1), qy = any(1), qz = any(1), qw = any(1);
    bodies += fmt::format(R"(, {{"name": "drum {}", "asset": "drum", "at": [{}, {}, {}], "quaternion": [{}, {}, {}, {}], "examples": {{}}}})", i, x, 0.75 + 1.25 * (i / 4), z, qx,
                          qy, qz, qw);
  }
  return drum_scene(fmt::format(R"("substeps": {}, "bodies": [{}])", substeps, bodies));
}

TEST(TimeStep, a_heap_is_dented_alike_at_any) {
  std::vector<double> means;
  for (const int substeps : {1, 2, 4, 8}) {
    double sum = 0;
    for (const int seed : {10, 11}) {
      World world = built(heap(substeps, seed));
      run_frames(world, 180);
      sum += mean(depths(world)) / 2;
    }
    means.push_back(sum);
    fmt::print("dt 1/{}: heap {:.4f} m\n", 60 * substeps, sum);
  }
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  EXPECT_GT(*least, 0.08);
  EXPECT_LT(*most / *least, 1.10);
}

/// How far a standing drum gives way to a block that is set down on it.
double depth_under(double mass, int substeps, const std::string& knobs = "") {
  World world = built(drum_scene(fmt::format(R"("substeps": {}, "bodies": [{{"plane": [0, 1, 0, 0]}}, {{"name": "drum", "asset": "drum", "at": [0, 0.446, 0],
    "examples": {{{}}}}}, {{"name": "block", "box": [0.8, 0.4, 0.8], "mass": {}, "at": [0, 1.0921, 0]}}])", substeps, knobs, mass)));
  run_frames(world, 120);
  return depths(world).front();
}

TEST(TimeStep, a_drum_bears_a_block_or_collapses_under_it_alike_at_any) {
  for (const int substeps : {1, 2, 4, 8}) {
    EXPECT_LT(depth_under(1500, substeps), 1e-6) << substeps;
    EXPECT_NEAR(depth_under(3000, substeps), 0.25, 0.015) << substeps;
  }
}

TEST(TimeStep, a_load_that_lasts_creeps_if_asked_to) {
  EXPECT_LT(depth_under(900, 4), 1e-6);
  for (const int substeps : {2, 4, 8}) EXPECT_NEAR(depth_under(900, substeps, R"("creep": 1)"), 0.046, 0.015) << substeps;
  EXPECT_GT(depth_under(900, 4, R"("creep": 3)"), 0.07);
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
