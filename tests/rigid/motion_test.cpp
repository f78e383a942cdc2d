#include <cmath>

#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

TEST(Motion, free_fall_takes_exactly_one_step_of_dt) {
  World world({});
  const int ball = world.add_part(dynamic_part(Sphere{0.1}, 1000, Vec3(0, 10, 0)));
  Loads loads;
  run(world, 240, kStep, loads);
  // Semi-implicit Euler falls g dt^2 n(n+1)/2.
  EXPECT_NEAR(world.state(ball).place.translation.y(), 10 - 9.81 * kStep * kStep * 240 * 241 / 2, 1e-9);
  EXPECT_NEAR(world.state(ball).velocity.y(), -9.81, 1e-9);
  EXPECT_TRUE(loads.contacts.empty());
}

TEST(Motion, a_ball_bounces_back_with_its_restitution) {
  World world({});
  PartSettings ground = ground_part();
  ground.surface.restitution = 1;
  world.add_part(ground);
  PartSettings settings = dynamic_part(Sphere{0.1}, 1000, Vec3(0, 1.1, 0));
  settings.surface.restitution = 0.6;
  const int ball = world.add_part(settings);
  Loads loads;
  double down = 0, up = 0;
  for (int i = 0; i < 480 && up <= 0; ++i) {
    down = std::min(down, world.state(ball).velocity.y());
    world.step(kStep, loads);
    up = world.state(ball).velocity.y();
  }
  EXPECT_NEAR(down, -std::sqrt(2 * 9.81), 0.05);
  EXPECT_NEAR(-up / down, 0.6, 0.05);  // the engine adds a little to undo the overlap of the step that hit
}

TEST(Motion, the_state_may_bring_its_own_restitution) {
  World world({});
  PartSettings settings = dynamic_part(Sphere{0.1}, 1000, Vec3::Zero());
  settings.surface.restitution = 0.6;
  EXPECT_EQ(world.state(world.add_part(settings)).restitution, 0.6);
  settings.state.restitution = 0;
  EXPECT_EQ(world.state(world.add_part(settings)).restitution, 0);
  world.set_restitution(1, 0.25);
  EXPECT_EQ(world.state(1).restitution, 0.25);
}

TEST(Motion, a_box_slides_as_far_as_friction_lets_it) {
  World world({});
  PartSettings ground = ground_part();
  ground.surface.friction = 1;
  world.add_part(ground);
  PartSettings settings = dynamic_part(Box{Vec3(0.6, 0.2, 0.6)}, 500, Vec3(0, 0.1, 0));
  settings.surface.friction = 0.3;
  settings.state.velocity = Vec3(3, 0, 0);
  const int box = world.add_part(settings);
  Loads loads;
  run(world, 480, kStep, loads);
  EXPECT_NEAR(world.state(box).place.translation.x(), 9.0 / (2 * 0.3 * 9.81), 0.03);
  EXPECT_NEAR(world.state(box).velocity.norm(), 0, 1e-3);
}

TEST(Motion, a_stack_of_boxes_falls_asleep_and_stays_where_it_is) {
  World world({});
  world.add_part(ground_part());
  std::vector<int> boxes;
  for (int i = 0; i < 4; ++i) boxes.push_back(world.add_part(dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.25 + 0.5 * i, 0))));
  EXPECT_EQ(world.awake_count(), 4);
  Loads loads;
  run(world, 5 * 240, kStep, loads);
  EXPECT_EQ(world.awake_count(), 0);
  EXPECT_TRUE(loads.contacts.empty());
  for (int i = 0; i < 4; ++i) EXPECT_LT((world.state(boxes[i]).place.translation - Vec3(0, 0.25 + 0.5 * i, 0)).norm(), 0.01);
  world.set_velocity(boxes[3], Vec3(0.5, 0, 0), Vec3::Zero());
  EXPECT_TRUE(world.is_awake(boxes[3]));
  world.step(kStep, loads);
  EXPECT_FALSE(loads.contacts.empty());
}

TEST(Motion, what_slides_slowly_goes_on_sliding) {
  World world({});
  world.add_part(ground_part());
  PartSettings settings = dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.25, 0));
  settings.surface.friction = 0;
  settings.state.velocity = Vec3(0.5, 0, 0);
  const int box = world.add_part(settings);
  Loads loads;
  run(world, 6 * 240, kStep, loads);
  EXPECT_NEAR(world.state(box).place.translation.x(), 3, 0.01);
}

TEST(Motion, nothing_sleeps_when_sleeping_is_off) {
  World world({.sleeping = false});
  world.add_part(ground_part());
  PartSettings settings = dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.25, 0));
  settings.state.activation = 2;
  world.add_part(settings);
  Loads loads;
  run(world, 4 * 240, kStep, loads);
  EXPECT_EQ(world.awake_count(), 1);
}

TEST(Motion, a_part_that_starts_asleep_hangs_until_it_is_touched) {
  World world({});
  PartSettings settings = dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 5, 0));
  settings.state.activation = 2;
  const int hanging = world.add_part(settings);
  Loads loads;
  run(world, 240, kStep, loads);
  EXPECT_FALSE(world.is_awake(hanging));
  EXPECT_EQ(world.state(hanging).place.translation.y(), 5);
  PartSettings thrown = dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(-2, 5, 0));
  thrown.state.velocity = Vec3(8, 0, 0);
  world.add_part(thrown);
  run(world, 120, kStep, loads);
  EXPECT_TRUE(world.is_awake(hanging));
  EXPECT_GT(world.state(hanging).place.translation.x(), 0.1);
}

TEST(Motion, removing_a_support_wakes_what_leaned_on_it) {
  World world({});
  world.add_part(ground_part());
  const int below = world.add_part(dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.25, 0)));
  const int above = world.add_part(dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.75, 0)));
  Loads loads;
  run(world, 4 * 240, kStep, loads);
  ASSERT_FALSE(world.is_awake(above));
  world.remove_part(below);
  EXPECT_FALSE(world.has_part(below));
  run(world, 240, kStep, loads);
  EXPECT_NEAR(world.state(above).place.translation.y(), 0.25, 0.01);
}

TEST(Motion, groups_decide_who_meets_whom) {
  World world({});
  PartSettings ground = ground_part();
  ground.group = 1;
  ground.collides_with = 2;
  world.add_part(ground);
  PartSettings meets = dynamic_part(Sphere{0.2}, 500, Vec3(0, 0.5, 0)), passes = dynamic_part(Sphere{0.2}, 500, Vec3(1, 0.5, 0));
  meets.group = 2;
  passes.group = 4;
  const int stays = world.add_part(meets), falls = world.add_part(passes);
  Loads loads;
  run(world, 240, kStep, loads);
  EXPECT_NEAR(world.state(stays).place.translation.y(), 0.2, 0.01);
  EXPECT_LT(world.state(falls).place.translation.y(), -3);
}

TEST(Scripted, place_is_the_integral_of_velocity_and_spin) {
  World world({});
  PartSettings settings = fixed_part(Box{Vec3(1, 1, 1)}, Vec3(1, 2, 3));
  settings.motion = Motion::Scripted;
  const int box = world.add_part(settings);
  world.set_velocity(box, Vec3(0.5, 0, -1), Vec3(0, 0.7, 0));
  Loads loads;
  run(world, 240, kStep, loads);
  const PartState state = world.state(box);
  EXPECT_LT((state.place.translation - Vec3(1.5, 2, 2)).norm(), 1e-12);
  EXPECT_LT((state.place.rotation - turned(0.7, Vec3::UnitY())).norm(), 1e-12);
  EXPECT_EQ(state.velocity, Vec3(0.5, 0, -1));
}

TEST(Scripted, a_moving_floor_carries_what_lies_on_it_and_stops_with_it) {
  World world({});
  PartSettings floor = fixed_part(Box{Vec3(20, 0.2, 2)}, Vec3(0, -0.1, 0));
  floor.motion = Motion::Scripted;
  floor.surface.friction = 1;
  const int belt = world.add_part(floor);
  const int box = world.add_part(dynamic_part(Box{Vec3(0.5, 0.3, 0.5)}, 500, Vec3(0, 0.15, 0)));
  Loads loads;
  run(world, 4 * 240, kStep, loads);
  ASSERT_FALSE(world.is_awake(box));
  world.set_velocity(belt, Vec3(0.6, 0, 0), Vec3::Zero());  // slower than what the engine would call asleep
  run(world, 5 * 240, kStep, loads);
  EXPECT_NEAR(world.state(belt).place.translation.x(), 3, 1e-9);
  EXPECT_NEAR(world.state(box).velocity.x(), 0.6, 1e-3);
  EXPECT_NEAR(world.state(box).place.translation.x(), 3 - 0.6 * 0.6 / (2 * 0.5 * 9.81), 0.01);
  world.set_velocity(belt, Vec3::Zero(), Vec3::Zero());
  run(world, 4 * 240, kStep, loads);
  EXPECT_FALSE(world.is_awake(box));
  EXPECT_NEAR(world.state(box).place.translation.x(), 3, 0.01);
}

TEST(Scripted, a_ram_pushes_at_its_own_speed) {
  World world({});
  world.add_part(ground_part());
  PartSettings ram = fixed_part(Box{Vec3(1, 0.8, 1)}, Vec3(-1.5, 0.5, 0));
  ram.motion = Motion::Scripted;
  ram.state.velocity = Vec3(2, 0, 0);
  const int pusher = world.add_part(ram);
  const int box = world.add_part(dynamic_part(Box{Vec3(1, 1, 1)}, 500, Vec3(0, 0.5, 0)));
  Loads loads;
  run(world, 480, kStep, loads);
  EXPECT_NEAR(world.state(box).velocity.x(), 2, 0.05);
  EXPECT_NEAR(world.state(box).place.translation.x() - world.state(pusher).place.translation.x(), 1, 0.005);
}

TEST(Shapes, all_kinds_rest_on_the_ground_at_their_own_height) {
  World world({});
  world.add_part(ground_part());
  const std::vector<std::pair<Shape, double>> kinds = {{Box{Vec3(0.4, 0.6, 0.8)}, 0.3}, {Sphere{0.3}, 0.3}, {Cylinder{0.3, 0.5}, 0.25}};
  std::vector<int> parts;
  for (size_t i = 0; i < kinds.size(); ++i)
    parts.push_back(world.add_part(dynamic_part(kinds[i].first, 500, Vec3(2.0 * i, kinds[i].second + 0.02, 0))));
  PartSettings lying = dynamic_part(Capsule{0.2, 1.0}, 500, Vec3(-2, 0.22, 0));
  lying.state.place.rotation = turned(std::acos(0.0), Vec3::UnitX());
  parts.push_back(world.add_part(lying));
  parts.push_back(world.add_part(two_hull_box(Vec3(0.8, 0.4, 0.4), 500, Vec3(-4, 0.22, 0))));
  Loads loads;
  run(world, 480, kStep, loads);
  for (size_t i = 0; i < kinds.size(); ++i) EXPECT_NEAR(world.state(parts[i]).place.translation.y(), kinds[i].second, 2e-3);
  EXPECT_NEAR(world.state(parts[3]).place.translation.y(), 0.2, 2e-3);
  EXPECT_NEAR(world.state(parts[4]).place.translation.y(), 0.205, 2e-3);  // margin outside the points
}

TEST(Shapes, convex_and_concave_meshes_hold_what_falls_on_them) {
  TriMesh two_boxes = make_box(Vec3(2, 1, 2));
  const TriMesh box = make_box(Vec3(2, 1, 2));
  const int offset = static_cast<int>(box.positions.size());
  for (const Vec3& p : box.positions) two_boxes.positions.push_back(p + Vec3(5, 0, 0));
  for (const auto& [a, b, c] : box.triangles) two_boxes.triangles.push_back({a + offset, b + offset, c + offset});
  for (const TriMesh& mesh : {box, two_boxes}) {
    World world({});
    world.add_part(fixed_part(Triangles{mesh}));
    const int ball = world.add_part(dynamic_part(Sphere{0.2}, 500, Vec3(0.3, 1, 0.2)));
    Loads loads;
    run(world, 480, kStep, loads);
    EXPECT_NEAR(world.state(ball).place.translation.y(), 0.7025, 4e-3);  // hulls have a margin, triangles none for spheres
  }
}

}  // namespace
}  // namespace crumple::rigid
