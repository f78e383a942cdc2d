#include <gtest/gtest.h>

#include "crumple/world/world.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

/// A scene of ours in motion.
World started(const std::string& name) {
  Result<Scene> scene = load_scene(std::string(CRUMPLE_SOURCE_DIR) + "/scenes/" + name + ".json");
  EXPECT_TRUE(scene) << scene.error().text;
  Result<World> world = World::build(*scene);
  EXPECT_TRUE(world) << world.error().text;
  return std::move(*world);
}

void run(World& world, double seconds) {
  while (world.time() < seconds - 1e-9) world.step_frame();
  EXPECT_TRUE(world.report().frozen.empty());
  for (const FrameItem& item : world.frame().items) {
    for (const Vec3f& p : item.positions) ASSERT_TRUE(p.allFinite()) << item.name;
  }
}

const Body& soft_named(const World& world, const std::string& name) {
  for (const Body& body : world.bodies()) {
    if (body.description->name == name) return body;
  }
  ADD_FAILURE() << name;
  return world.bodies().front();
}

int big_pieces(const Body& body) {
  int big = 0;
  for (const int size : clusters::pieces(clusters_state(body)).sizes) big += size >= 50;
  return big;
}

double debris(const Body& body) {
  double small = 0;
  for (const int size : clusters::pieces(clusters_state(body)).sizes) small += size < 50 ? size : 0;
  return small / clusters_state(body).particles();
}

/// Corners that are carried by another piece than their own are drawn as threads between pieces.
int threads(const World&, const Body& body) {
  const clusters::BodyModel& model = std::get<Clusters>(*body.matter).model;
  const SoftInside layer = soft_inside(body);
  clusters::Surface drawn = start_drawing(model);
  clusters::update_surface(layer.model, model.surface, layer.state, drawn);
  const clusters::Pieces found = clusters::pieces(layer.state);
  const auto piece = [&](int32_t particle) { return found.of_particle[static_cast<size_t>(particle)]; };
  int count = 0;
  for (size_t p = 0; p < drawn.carriers.size(); ++p) {
    for (size_t k = 0; k < clusters::kCarriers; ++k) {
      count += drawn.carriers[p].weight[k] > 0 && piece(drawn.carriers[p].particle[k]) != piece(drawn.owner[p]);
    }
  }
  return count;
}

TEST(ClusterScenes, one_bar_keeps_its_twist_and_the_other_tears_with_little_debris) {
  World world = started("twist_bar");
  run(world, 6);
  EXPECT_EQ(clusters_state(soft_named(world, "weak")).totals.splits, 0);
  run(world, 11);
  const Body &tough = soft_named(world, "tough"), &weak = soft_named(world, "weak");
  EXPECT_EQ(clusters_state(tough).totals.splits, 0);
  EXPECT_GT(clusters_state(weak).totals.first_split, 6);
  EXPECT_LT(clusters_state(weak).totals.first_split, 8);
  EXPECT_GE(big_pieces(weak), 2);
  EXPECT_LT(debris(weak), 0.05);
  EXPECT_EQ(threads(world, weak), 0);
}

TEST(ClusterScenes, the_heart_breaks_in_two) {
  World world = started("broken_heart");
  run(world, 2.6);
  const Body& heart = soft_named(world, "heart");
  EXPECT_EQ(big_pieces(heart), 2);
  EXPECT_LT(debris(heart), 0.02);
  EXPECT_GT(clusters::pieces(clusters_state(heart)).sizes[1], 0.25 * clusters_state(heart).particles());
  EXPECT_EQ(threads(world, heart), 0);
}

TEST(ClusterScenes, the_brittle_ball_bursts_and_the_tough_one_does_not) {
  World world = started("ball_drop");
  run(world, 1);
  EXPECT_GE(big_pieces(soft_named(world, "brittle")), 5);
  EXPECT_EQ(big_pieces(soft_named(world, "tough")), 1);
  EXPECT_GT(clusters_state(soft_named(world, "tough")).totals.splits, 0);
  EXPECT_LT(debris(soft_named(world, "tough")), 0.02);
}

TEST(ClusterScenes, the_bear_loses_an_arm_and_keeps_the_rest) {
  World world = started("torn_figure");
  run(world, 4);
  const Body& bear = soft_named(world, "bear");
  EXPECT_GE(big_pieces(bear), 2);
  EXPECT_GT(clusters::pieces(clusters_state(bear)).sizes[0], 0.8 * clusters_state(bear).particles());
  EXPECT_EQ(threads(world, bear), 0);
}

TEST(ClusterScenes, the_cheese_tears_and_the_bars_are_clustered_alike) {
  World cheese = started("swiss_cheese");
  run(cheese, 2.5);
  EXPECT_GE(big_pieces(soft_named(cheese, "cheese")), 2);
  EXPECT_LT(debris(soft_named(cheese, "cheese")), 0.05);
  EXPECT_EQ(threads(cheese, soft_named(cheese, "cheese")), 0);
  World bars = started("bar_convergence");
  run(bars, 1);
  for (const Body& bar : bars.bodies()) {
    EXPECT_NEAR(clusters_state(bar).clusters(), 56, 8) << bar.description->name;
    EXPECT_TRUE(clusters::center_of_mass(clusters_model(bar), clusters_state(bar)).allFinite());
  }
}

TEST(ClusterScenes, plates_shatter_crack_and_stretch_and_slow_the_balls) {
  World world = started("plate_projectile");
  run(world, 0.5);
  const auto speed = [&](const std::string& name) {
    return world.part_state(static_cast<int>(&soft_named(world, name) - world.bodies().data())).velocity.norm();
  };
  EXPECT_GT(big_pieces(soft_named(world, "weak")), 1);
  EXPECT_GT(clusters_state(soft_named(world, "weak")).totals.splits, 5 * clusters_state(soft_named(world, "strong")).totals.splits);
  EXPECT_GT(clusters_state(soft_named(world, "strong")).totals.splits, clusters_state(soft_named(world, "ductile")).totals.splits);
  for (const char* ball : {"ball 1", "ball 2", "ball 3"}) EXPECT_LT(speed(ball), 9.0) << ball;
}

}  // namespace
}  // namespace crumple
