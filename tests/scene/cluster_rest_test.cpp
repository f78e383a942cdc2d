#include <cmath>

#include "crumple/core/parallel.h"
#include "tests/scene/inside.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

const clusters::BodyState& state_of(const World& world, std::string_view name) {
  return std::get<Clusters>(*world.bodies()[static_cast<size_t>(body_named(world, name))].matter).state;
}
bool sleeps(const World& world, std::string_view name) {
  return state_of(world, name).calm.asleep > 0;
}
Vec3 center(const World& world, std::string_view name) {
  const SoftInside in = soft_inside(world.bodies()[static_cast<size_t>(body_named(world, name))]);
  return clusters::center_of_mass(in.model, in.state);
}
double top_of(const World& world, std::string_view name) {
  const SoftInside in = soft_inside(world.bodies()[static_cast<size_t>(body_named(world, name))]);
  double top = -1e300;
  for (int i = 0; i < in.state.particles(); ++i) top = std::max(top, clusters::position(in.model, in.state, i).y());
  return top;
}
std::string block(const std::string& name, double y, const std::string& more = "") {
  return fmt::format(R"({{"name": "{}", "box": [0.3, 0.3, 0.3], "at": [0, {}, 0], "density": 800{}, "clusters": {{"particles": 350, "clusters": 8}}}})", name, y, more);
}
constexpr const char* kGround = R"({"name": "ground", "plane": [0, 1, 0, 0], "material": {"friction": 0.9, "restitution": 1}})";

TEST(ClusterRest, three_soft_blocks_stand_on_each_other_from_any_gap_and_fall_asleep) {
  for (const double gap : {0.0, 0.005, 0.05}) {
    World world = built(drum_scene(fmt::format(R"("substeps": 8, "bodies": [{}, {}, {}, {}])", kGround, block("a", 0.15), block("b", 0.45 + gap), block("c", 0.75 + 2 * gap))));
    run_frames(world, 180);
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_TRUE(sleeps(world, name)) << name << " " << gap;
      EXPECT_LT(std::hypot(center(world, name).x(), center(world, name).z()), 0.02) << name << " " << gap;
      EXPECT_EQ(state_of(world, name).clusters.totals.outliers, 0);
    }
    EXPECT_NEAR(center(world, "c").y(), 0.75, 0.03);
  }
}

TEST(ClusterRest, two_bodies_that_only_lie_on_each_other_gain_no_energy) {
  World world = built(drum_scene(fmt::format(R"("substeps": 8, "bodies": [{}, {}, {}])", kGround, block("a", 0.15), block("b", 0.47))));
  for (int frame = 0; frame < 60; ++frame) {
    world.step_frame();
    EXPECT_LT(world.kinetic_energy(), 22 * 9.81 * 0.04) << frame;  // the fall of one through the gap and the sag of both
  }
}

TEST(ClusterRest, soft_on_soft_on_a_slope_of_fifteen_degrees_holds) {
  World world = built(drum_scene(fmt::format(R"("substeps": 8, "gravity": [2.539, -9.476, 0], "bodies": [{}, {}, {}])", kGround,
                                             block("a", 0.15, R"(, "material": {"friction": 0.9})"), block("b", 0.45, R"(, "material": {"friction": 0.9})"))));
  run_frames(world, 120);
  EXPECT_LT(center(world, "b").x(), 0.04);
  EXPECT_TRUE(sleeps(world, "a") && sleeps(world, "b"));
}

/// Greatest height of a ball's centre after it fell by a metre and left the ground again, as a share of the speed of the hit.
double bounce(double restitution, double stiffness, int substeps) {
  World world = built(drum_scene(fmt::format(R"("substeps": {}, "bodies": [{}, {{"name": "ball", "sphere": 0.15, "at": [0, 0.151, 0], "velocity": [0, -4.43, 0], "density": 800,
      "material": {{"restitution": {}}}, "clusters": {{"particles": 300, "clusters": 8, "stiffness": {}, "damping": 5}}}}])",
                                             substeps, kGround, restitution, stiffness)));
  double fastest = 0;
  for (int frame = 0; frame < 20; ++frame) {
    world.step_frame();
    const SoftInside in = soft_inside(world.bodies()[1]);
    fastest = std::max(fastest, clusters::linear_momentum(in.model, in.state).y() / clusters::total_mass(in.model, in.state));
  }
  return fastest / 4.43;
}

TEST(ClusterRest, restitution_says_how_fast_a_ball_leaves_whatever_its_stiffness) {
  for (const double restitution : {0.0, 0.4, 0.8}) {
    if (restitution < 0.5) {  // springs as soft as these return no more than a half
      EXPECT_NEAR(bounce(restitution, 4, 4), restitution, 0.06);
    }
    EXPECT_NEAR(bounce(restitution, 64, 8), restitution, 0.05);
    EXPECT_NEAR(bounce(restitution, 256, 16), restitution, 0.05);
  }
}

TEST(ClusterRest, a_sleeping_block_wakes_when_it_is_touched_and_not_before) {
  World world = built(drum_scene(fmt::format(R"("substeps": 8, "bodies": [{}, {}, {{"name": "ball", "sphere": 0.1, "mass": 3, "start": 2, "at": [0.02, 0.7, 0]}}])", kGround, block("a", 0.15))));
  run_frames(world, 110);
  ASSERT_TRUE(sleeps(world, "a"));
  const Vec3 before = center(world, "a");
  run_frames(world, 15);
  EXPECT_TRUE(sleeps(world, "a"));
  EXPECT_EQ(center(world, "a"), before);
  run_frames(world, 20);  // the ball has fallen 0.3 m
  EXPECT_FALSE(sleeps(world, "a"));
  EXPECT_NE(center(world, "a"), before);
}

TEST(ClusterRest, a_run_goes_on_from_the_state_of_a_sleeping_stack_to_the_last_bit_on_any_number_of_threads) {
  const Scene text = drum_scene(fmt::format(R"("substeps": 4, "checkpoint": 30, "bodies": [{}, {}, {}])", kGround, block("a", 0.15), block("b", 0.5)));
  set_thread_count(1);
  World world = built(text);
  run_frames(world, 60);
  const Snapshot kept = world.snapshot();
  run_frames(world, 60);
  set_thread_count(2);
  World other = built(text);
  ASSERT_TRUE(other.restore(kept));
  run_frames(other, 60);
  EXPECT_EQ(state_hash(world), state_hash(other));
}

TEST(ClusterRest, a_cube_of_a_metre_of_the_default_material_hardly_sags_and_one_of_jelly_is_told) {
  const std::string cube = R"("bodies": [{"name": "ground", "plane": [0, 1, 0, 0]}, {"name": "cube", "box": [1, 1, 1], "at": [0, 0.5, 0], "clusters": {"particles": 2000{}}}])";
  const auto scene = [&](const std::string& keys) { return drum_scene(std::string(cube).replace(cube.find("{}}"), 2, keys)); };
  World world = built(scene(""));
  EXPECT_TRUE(world.advice().empty()) << world.advice()[0];
  run_frames(world, 60);
  EXPECT_GT(top_of(world, "cube"), 0.98);
  EXPECT_EQ(state_of(world, "cube").clusters.totals.outliers, 0);
  const World jelly = built(scene(R"(, "stiffness": 1)"));
  ASSERT_EQ(jelly.advice().size(), 1u);
  EXPECT_NE(jelly.advice()[0].find("leave out \"stiffness\" and set \"young\""), std::string::npos) << jelly.advice()[0];
}

TEST(ClusterRest, youngs_modulus_does_not_depend_on_steps_or_clusters) {
  for (const auto& [substeps, clusters] : {std::pair(4, 20), std::pair(8, 20), std::pair(8, 60)}) {
    World world = built(drum_scene(fmt::format(R"("substeps": {}, "bodies": [{}, {{"name": "cube", "box": [1, 1, 1], "at": [0, 0.5, 0], "density": 1000,
        "clusters": {{"particles": 1200, "clusters": {}, "young": 150000, "damping": 80}}}}])", substeps, kGround, clusters)));
    run_frames(world, 60);
    EXPECT_NEAR(1 - top_of(world, "cube"), 1000 * 9.81 * 0.5 / 150000, 0.012) << substeps << " " << clusters;
  }
}

}  // namespace
}  // namespace crumple
