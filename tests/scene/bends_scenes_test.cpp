// The scenes of bodies that bend show what they are meant to.
#include <cmath>

#include "tests/sanitized.h"
#include "tests/scene/drum_scenes.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

double most_turn(const bends::State& state) {
  double most = 0;
  for (const rigid::JointHistory& history : state.histories) most = std::max(most, history.turn);
  return most;
}

/// Runs a scene to its end; the most parts that a body was in.
size_t run_to_end(World& world, std::string_view name) {
  size_t most = 0;
  const int body = body_named(world, name);
  for (int frame = 0; frame < world.scene().frame_count(); ++frame) {
    world.step_frame();
    most = std::max(most, world.bodies()[static_cast<size_t>(body)].parts.size());
  }
  EXPECT_TRUE(world.report().frozen.empty());
  const EnergyLedger& energy = world.report().energy;
  EXPECT_LT(std::abs(energy.unaccounted()) / energy.scale(), 0.03);
  return most;
}

TEST(BendsScenes, the_plank_has_one_joint_under_the_ball) {
  if (kSanitized) GTEST_SKIP() << "the goldens run its beginning";
  World world = built(scene_file("plank_ball.json"));
  run_to_end(world, "plank");
  const Bends& plank = bends_of(world, "plank");
  int bent = 0;
  for (size_t l = 0; l < plank.model.links.size(); ++l) {
    if (plank.state.histories[l].turn < 0.05) continue;
    ++bent;
    EXPECT_NEAR(plank.model.links[l].center.x(), 0.1, 0.16) << "where the ball falls";
  }
  EXPECT_EQ(bent, 1);
  EXPECT_GT(most_turn(plank.state), 0.8);
  EXPECT_LT(most_turn(plank.state), 1.8);
}

TEST(BendsScenes, all_of_the_figure_but_its_arm_stays_one_part) {
  if (kSanitized) GTEST_SKIP() << "the goldens run its beginning";
  World world = built(scene_file("arm_hit.json"));
  EXPECT_LE(run_to_end(world, "figure"), 5u) << "four joints";
  const Bends& figure = bends_of(world, "figure");
  double arm = 0;
  for (size_t l = 0; l < figure.model.links.size(); ++l) {
    if (figure.model.links[l].center.x() > 0.1 && figure.model.links[l].center.y() > 0.2) arm += figure.state.histories[l].turn;
    if (figure.model.links[l].center.y() < 0.1) { EXPECT_LT(figure.state.histories[l].turn, 0.02) << "legs"; }
  }
  EXPECT_GT(arm, 0.5);
  EXPECT_EQ(world.bodies()[static_cast<size_t>(body_named(world, "figure"))].parts.size(), 1u) << "it is condensed again";
}

TEST(BendsScenes, the_car_lays_the_sign_down) {
  if (kSanitized) GTEST_SKIP() << "the goldens run its beginning";
  World world = built(scene_file("street_sign.json"));
  run_to_end(world, "sign");
  const Body& sign = world.bodies()[static_cast<size_t>(body_named(world, "sign"))];
  double highest = -1;
  for (const FrameItem& item : world.frame().items) {
    if (item.body != body_named(world, "sign")) continue;
    for (const Vec3f& p : item.positions) highest = std::max(highest, (item.place * p.cast<double>()).y());
  }
  EXPECT_LT(highest, 1.2) << "it was 2.6 m high";
  EXPECT_GT(most_turn(std::get<Bends>(*sign.bonds).state), 0.7);
}

TEST(BendsScenes, the_cages_sag_under_the_blocks) {
  if (kSanitized) GTEST_SKIP() << "the goldens run its beginning";
  World world = built(scene_file("rebar_cage.json"));
  run_to_end(world, "cage 1");
  for (const char* name : {"cage 1", "cage 2"}) {
    EXPECT_GT(most_turn(bends_of(world, name).state), 0.3) << name;
    EXPECT_LT(most_turn(bends_of(world, name).state), 3.2) << name;
  }
}

}  // namespace
}  // namespace crumple
