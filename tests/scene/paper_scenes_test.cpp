#include <cmath>
#include <map>

#include "crumple/core/parallel.h"
#include "tests/sanitized.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

double displacement(const World& world, int body) {
  return damage_of(world.bodies()[static_cast<size_t>(body)]).max_displacement;
}
double displacement(const World& world, std::string_view name) {
  return displacement(world, body_named(world, name));
}

World played(const std::string& name, int frames = 1 << 30) {
  World world = built(scene_file(name));
  run_frames(world, std::min(frames, world.scene().frame_count()));
  return world;
}

TEST(PaperScenes, crash_alike_on_one_and_two_threads) {
  // Beyond the first half second, which every scene takes in the tests of determinism: into the thick of it.
  for (const auto& [name, seconds] : {std::pair{"car_hail.json", 1.2}, {"car_barrels.json", 0.8}, {"pileup.json", 1.0}}) {
    const int before = thread_count();
    uint64_t fingerprints[2];
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      fingerprints[threads - 1] = played(name, static_cast<int>(60 * seconds)).fingerprint();
    }
    set_thread_count(before);
    EXPECT_EQ(fingerprints[0], fingerprints[1]) << name;
  }
}

/// Height of the highest vertex of the sedan's roof in its own frame, m; its wheels stand at -0.73.
double roof_height(const World& world) {
  const Body& body = world.bodies()[static_cast<size_t>(body_named(world, "sedan"))];
  const std::vector<Vec3>& rest = body.solid->rig->asset.tets.positions;
  double highest = -1;
  for (size_t v = 0; v < rest.size(); ++v) {
    if (std::abs(rest[v].x() + 0.2) < 0.5 && std::abs(rest[v].z()) < 0.3)
      highest = std::max(highest, static_cast<double>(body.shape.vertices[v].y()));
  }
  return highest;
}

TEST(PaperScenes, only_a_car_that_knows_the_flattened_example_loses_its_roof) {
  const double rest = roof_height(built(scene_file("car_hail.json")));
  EXPECT_GT(rest - roof_height(played("car_hail.json")), 0.12);
  EXPECT_LT(rest - roof_height(played("car_hail_plain.json")), 0.05);
}

TEST(PaperScenes, more_gain_dents_more_and_none_at_all) {
  const World world = played("study_gain.json", 60);
  EXPECT_LT(displacement(world, "gain 0"), 1e-6);
  double before = 0.05;
  for (const char* name : {"gain 50", "gain 150", "gain 400"}) {
    EXPECT_GT(displacement(world, name), before + 0.02) << name;
    before = displacement(world, name);
  }
  EXPECT_GT(displacement(world, "gain 1000"), before);
}

TEST(PaperScenes, more_yield_dents_less_until_nothing_is_left) {
  const World world = played("study_yield.json", 60);
  double before = 1;
  for (const char* name : {"yield 0.2", "yield 1", "yield 1.8", "yield 2.6", "yield 3.4"}) {
    EXPECT_LT(displacement(world, name), before - 0.01) << name;
    before = displacement(world, name);
  }
  EXPECT_LT(before, 1e-6);
}

TEST(PaperScenes, lag_delays_the_dent_and_not_its_depth) {
  const std::vector<std::string> names = {"lag 0", "lag 0.9", "lag 0.97", "lag 0.99", "lag 0.995"};
  World world = built(scene_file("study_lag.json"));
  run_frames(world, 12);
  for (size_t i = 2; i < names.size(); ++i) EXPECT_LT(displacement(world, names[i]), displacement(world, names[i - 1]) - 0.02) << names[i];
  run_frames(world, world.scene().frame_count() - 12);
  for (size_t i = 2; i < names.size(); ++i) EXPECT_NEAR(displacement(world, names[i]), displacement(world, names[1]), 0.01) << names[i];
  EXPECT_NEAR(displacement(world, names[0]), displacement(world, names[1]), 0.06);  // gives way before the ball has spent itself
}

TEST(PaperScenes, a_softened_drum_bounces_little_until_it_has_recovered) {
  World world = built(scene_file("study_soften.json"));
  std::array<double, 4> highest = {};  // after the first bounce, m
  for (int frame = 0; frame < 70; ++frame) {
    world.step_frame();
    for (size_t i = 0; frame > 33 && i < highest.size(); ++i) {
      highest[i] = std::max(highest[i], world.place(body_named(world, fmt::format("rubber ball {}", i + 1))).translation.y());
    }
  }
  EXPECT_GT(highest[0], highest[1] + 0.1);
  EXPECT_GT(highest[1], highest[2] + 0.1);
  EXPECT_GT(highest[3], highest[2] + 0.1);
}

/// How far the deformed shapes of two drums are apart at most, m, in their own frames.
double apart(const World& world, std::string_view one, std::string_view other) {
  const std::vector<Vec3f>& a = world.bodies()[static_cast<size_t>(body_named(world, one))].shape.vertices;
  const std::vector<Vec3f>& b = world.bodies()[static_cast<size_t>(body_named(world, other))].shape.vertices;
  double most = 0;
  for (size_t v = 0; v < a.size(); ++v) most = std::max(most, static_cast<double>((a[v] - b[v]).norm()));
  return most;
}

TEST(PaperScenes, rules_and_sets_of_examples_give_the_same_blow_different_shapes) {
  const World rules = played("study_rule.json", 60), examples = played("study_examples.json", 60);
  for (const auto& [one, other] : {std::pair{"direction", "pseudo-inverse"}, {"direction", "gradient"}, {"pseudo-inverse", "gradient"}}) {
    EXPECT_GT(apart(rules, one, other), 0.03) << one << ", " << other;
  }
  for (const char* fewer : {"without the sides", "only crushed ends", "only bent"}) EXPECT_GT(apart(examples, "all", fewer), 0.05) << fewer;
  EXPECT_LT(displacement(examples, "only crushed ends"), 0.3 * displacement(examples, "all"));  // no end is crushed by a blow at the side
}

/// How far vertices have moved along x in the mean, m; the crates stand along it.
double moved_along(const World& world, std::string_view name) {
  const Body& body = world.bodies()[static_cast<size_t>(body_named(world, name))];
  const std::vector<Vec3f>& shape = body.shape.vertices;
  double sum = 0;
  for (size_t v = 0; v < shape.size(); ++v) sum += shape[v].x() - body.solid->rig->asset.tets.positions[v].x();
  return sum / static_cast<double>(shape.size());
}

TEST(PaperScenes, friction_drags_the_surface_along) {
  const World world = played("study_friction.json", 60);
  EXPECT_GT(moved_along(world, "friction too"), moved_along(world, "normal impulses") + 0.005);
}

}  // namespace
}  // namespace crumple
