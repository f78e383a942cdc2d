#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

PartSettings beam(const Vec3& at) {
  return dynamic_part(Box{Vec3(1, 0.1, 0.1)}, 1000, at);  // 10 kg
}

double turn_about(const Mat3& rotation, const Vec3& axis) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis().dot(axis);
}

TEST(Joints, a_fixed_joint_to_the_world_holds_and_reports_the_weight) {
  World world({.sleeping = false});
  const int part = world.add_part(beam(Vec3(0.5, 2, 0)));
  const int joint = world.add_joint({.kind = JointKind::Fixed, .part_a = part, .at = Vec3(0, 2, 0)});
  Loads loads;
  run(world, 480, kStep, loads);
  EXPECT_LT((world.state(part).place.translation - Vec3(0.5, 2, 0)).norm(), 2e-3);
  ASSERT_EQ(loads.joints.size(), 1u);
  EXPECT_EQ(loads.joints[0].joint, joint);
  EXPECT_NEAR(loads.joints[0].impulse, 10 * 9.81 * kStep, 0.02 * 10 * 9.81 * kStep);
  EXPECT_NEAR(loads.joints[0].twist, 10 * 9.81 * 0.5 * kStep, 0.02 * 10 * 9.81 * 0.5 * kStep);
}

TEST(Joints, a_ball_joint_keeps_the_length_of_a_pendulum) {
  World world({});
  const int part = world.add_part(beam(Vec3(0.5, 2, 0)));
  world.add_joint({.kind = JointKind::Ball, .part_a = part, .at = Vec3(0, 2, 0)});
  Loads loads;
  double lowest = 2;
  for (int i = 0; i < 240; ++i) {
    world.step(kStep, loads);
    const Transform place = world.state(part).place;
    EXPECT_LT((place * Vec3(-0.5, 0, 0) - Vec3(0, 2, 0)).norm(), 0.01);
    lowest = std::min(lowest, place.translation.y());
  }
  EXPECT_NEAR(lowest, 1.5, 0.01);
}

TEST(Joints, a_hinge_turns_about_its_axis_only_and_stops_at_its_limit) {
  World world({});
  const int part = world.add_part(beam(Vec3(0.5, 2, 0)));
  // Falling turns the beam by negative angles about z.
  world.add_joint({.kind = JointKind::Hinge, .part_a = part, .at = Vec3(0, 2, 0), .axis = Vec3::UnitZ(), .low = -0.6, .high = 0.2});
  Loads loads;
  run(world, 720, kStep, loads);
  const Mat3 rotation = world.state(part).place.rotation;
  EXPECT_NEAR(turn_about(rotation, Vec3::UnitZ()), -0.6, 0.02);
  EXPECT_NEAR(rotation(2, 2), 1, 1e-6);
}

TEST(Joints, one_limit_leaves_the_other_side_free) {
  World world({});
  const int part = world.add_part(beam(Vec3(0.5, 2, 0)));
  world.add_joint({.kind = JointKind::Hinge, .part_a = part, .at = Vec3(0, 2, 0), .axis = Vec3::UnitZ(), .high = 0.2});
  Loads loads;
  double lowest = 0;
  for (int i = 0; i < 240; ++i) {
    world.step(kStep, loads);
    lowest = std::min(lowest, turn_about(world.state(part).place.rotation, Vec3::UnitZ()));
  }
  EXPECT_LT(lowest, -2.8);
}

TEST(Joints, a_hinge_motor_reaches_its_speed_with_no_more_than_its_torque) {
  World world({.gravity = Vec3::Zero()});
  const int part = world.add_part(beam(Vec3::Zero()));
  const double inertia = 10.0 / 12 * (1 + 0.01);
  world.add_joint({.kind = JointKind::Hinge, .part_a = part, .axis = Vec3::UnitZ(), .motor_speed = 3, .motor_strength = inertia});
  Loads loads;
  run(world, 240, kStep, loads);
  EXPECT_NEAR(world.state(part).spin.z(), 1, 0.01);  // one second of 1 rad/s2
  run(world, 720, kStep, loads);
  EXPECT_NEAR(world.state(part).spin.z(), 3, 0.01);
}

TEST(Joints, a_slider_moves_along_its_axis_between_its_limits) {
  World world({});
  const int part = world.add_part(beam(Vec3(0, 2, 0)));
  world.add_joint({.kind = JointKind::Slider, .part_a = part, .at = Vec3(0, 2, 0), .axis = Vec3(1, -1, 0), .low = -0.1, .high = 0.5});
  Loads loads;
  run(world, 720, kStep, loads);
  const Transform place = world.state(part).place;
  EXPECT_LT((place.translation - (Vec3(0, 2, 0) + 0.5 * Vec3(1, -1, 0).normalized())).norm(), 0.01);
  EXPECT_LT((place.rotation - Mat3::Identity()).norm(), 0.01);
}

TEST(Joints, a_slider_motor_pushes_with_its_force_up_to_its_speed) {
  World world({.gravity = Vec3::Zero()});
  const int part = world.add_part(beam(Vec3::Zero()));
  world.add_joint({.kind = JointKind::Slider, .part_a = part, .axis = Vec3::UnitX(), .motor_speed = 2, .motor_strength = 10});
  Loads loads;
  run(world, 240, kStep, loads);
  EXPECT_NEAR(world.state(part).velocity.x(), 1, 0.02);
  run(world, 480, kStep, loads);
  EXPECT_NEAR(world.state(part).velocity.x(), 2, 0.02);
}

TEST(Joints, between_two_parts_keep_momentum) {
  World world({.gravity = Vec3::Zero()});
  PartSettings moving = beam(Vec3(0.5, 0, 0));
  moving.state.velocity = Vec3(0, 1, 0);
  const int a = world.add_part(moving), b = world.add_part(beam(Vec3(-0.5, 0, 0)));
  world.add_joint({.kind = JointKind::Fixed, .part_a = a, .part_b = b});
  Loads loads;
  run(world, 240, kStep, loads);
  EXPECT_LT((world.state(a).velocity + world.state(b).velocity - Vec3(0, 1, 0)).norm(), 1e-9);
  const Transform between = world.state(a).place.inverse() * world.state(b).place;
  EXPECT_LT((between.translation - Vec3(-1, 0, 0)).norm(), 0.01);
}

TEST(Joints, linked_parts_meet_only_when_asked_to) {
  for (const bool collide : {false, true}) {
    World world({.sleeping = false});
    world.add_part(ground_part());
    const int below = world.add_part(dynamic_part(Box{Vec3(1, 1, 1)}, 500, Vec3(0, 0.5, 0)));
    const int above = world.add_part(dynamic_part(Box{Vec3(1, 1, 1)}, 500, Vec3(0, 1.5, 0)));
    Loads loads;
    const auto meet = [&] {
      return std::any_of(loads.contacts.begin(), loads.contacts.end(), [&](const Contact& c) { return c.part_a + c.part_b == below + above; });
    };
    run(world, 10, kStep, loads);  // they touch before they are linked
    EXPECT_TRUE(meet());
    world.add_joint({.kind = JointKind::Slider, .part_a = above, .part_b = below, .at = Vec3(0, 1, 0), .collide = collide});
    run(world, 10, kStep, loads);
    EXPECT_EQ(meet(), collide);
  }
}

TEST(Joints, go_with_their_part_or_alone) {
  World world({});
  const int a = world.add_part(beam(Vec3(0.5, 2, 0))), b = world.add_part(beam(Vec3(1.5, 2, 0)));
  const int to_world = world.add_joint({.kind = JointKind::Ball, .part_a = a, .at = Vec3(0, 2, 0)});
  const int between = world.add_joint({.kind = JointKind::Ball, .part_a = a, .part_b = b, .at = Vec3(1, 2, 0)});
  Loads loads;
  run(world, 10, kStep, loads);
  EXPECT_EQ(loads.joints.size(), 2u);
  world.remove_joint(to_world);
  EXPECT_FALSE(world.has_joint(to_world));
  run(world, 10, kStep, loads);
  EXPECT_EQ(loads.joints.size(), 1u);
  world.remove_part(b);
  EXPECT_FALSE(world.has_joint(between));
  run(world, 10, kStep, loads);
  EXPECT_TRUE(loads.joints.empty());
}

TEST(Joints, hinge_limits_reach_half_a_turn) {
  World world({.gravity = Vec3::Zero()});
  const int part = world.add_part(beam(Vec3::Zero()));
  world.add_joint(
      {.kind = JointKind::Hinge, .part_a = part, .axis = Vec3::UnitY(), .low = 0, .high = std::numbers::pi / 2, .motor_speed = 2, .motor_strength = 50});
  Loads loads;
  run(world, 480, kStep, loads);
  EXPECT_NEAR(turn_about(world.state(part).place.rotation, Vec3::UnitY()), std::numbers::pi / 2, 0.02);
}

TEST(Joints, a_slow_motor_never_falls_asleep) {
  World world({});
  const int wheel = world.add_part(dynamic_part(Cylinder{0.5, 0.2}, 500, Vec3(0, 2, 0)));
  const int sledge = world.add_part(dynamic_part(Box{Vec3(0.2, 0.2, 0.2)}, 500, Vec3(3, 2, 0)));
  world.add_joint({.kind = JointKind::Hinge, .part_a = wheel, .at = Vec3(0, 2, 0), .axis = Vec3::UnitY(), .motor_speed = 0.2, .motor_strength = 1e4});
  world.add_joint(
      {.kind = JointKind::Slider, .part_a = sledge, .at = Vec3(3, 2, 0), .axis = Vec3::UnitX(), .motor_speed = 0.1, .motor_strength = 1e4});
  Loads loads;
  run(world, 6 * 240, kStep, loads);
  EXPECT_NEAR(world.state(wheel).spin.y(), 0.2, 1e-3);
  EXPECT_NEAR(world.state(sledge).place.translation.x(), 3.6, 0.02);
}

}  // namespace
}  // namespace crumple::rigid
