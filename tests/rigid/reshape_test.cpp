#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

const Vec3 kSize(1, 0.4, 0.6);

std::vector<Vec3> joined(const Hulls& hulls) {
  std::vector<Vec3> points;
  for (const auto& hull : hulls.points) points.insert(points.end(), hull.begin(), hull.end());
  return points;
}

/// The same body seen from a frame that is turned a quarter about y: x and z change places.
struct QuarterTurn {
  std::vector<Vec3> points;
  World::Reshape change;
  QuarterTurn(const PartSettings& settings, const Transform& place) {
    Transform old_to_new;
    old_to_new.rotation << 0, 0, -1, 0, 1, 0, 1, 0, 0;
    for (const Vec3& p : joined(std::get<Hulls>(settings.shape))) points.push_back(old_to_new * p);
    const Vec3& inertia = settings.inertia;
    change = {points, Vec3(inertia.z(), inertia.y(), inertia.x()), place * old_to_new.inverse(), old_to_new};
  }
};

TEST(Reshape, to_the_same_shape_in_a_turned_frame_disturbs_nothing) {
  const PartSettings settings = two_hull_box(kSize, 500, Vec3(0, 0.205, 0));
  World world({.sleeping = false});
  world.add_part(ground_part());
  const int box = world.add_part(settings);
  Loads loads;
  run(world, 240, kStep, loads);
  const Vec3 before = world.state(box).place.translation;
  const QuarterTurn turn(settings, world.state(box).place);
  world.reshape(box, turn.change);
  for (int i = 0; i < 120; ++i) {
    world.step(kStep, loads);
    double carried = 0;
    for (const Contact& c : loads.contacts) carried += c.impulse;
    EXPECT_NEAR(carried, settings.mass * 9.81 * kStep, 0.01 * settings.mass * 9.81 * kStep);  // contacts went on from the first step
    EXPECT_LT(world.state(box).velocity.norm(), 1e-3);
  }
  EXPECT_LT((world.state(box).place.translation - before).norm(), 1e-4);
}

TEST(Reshape, keeps_every_body_of_a_stack_in_contact) {
  World world({.sleeping = false});
  world.add_part(ground_part());
  std::vector<PartSettings> settings;
  for (int i = 0; i < 3; ++i) settings.push_back(two_hull_box(kSize, 500, Vec3(0, 0.205 + 0.41 * i, 0)));
  for (const PartSettings& s : settings) world.add_part(s);
  Loads loads;
  run(world, 240, kStep, loads);
  for (int i = 0; i < 3; ++i) world.reshape(i + 1, QuarterTurn(settings[i], world.state(i + 1).place).change);
  run(world, 120, kStep, loads);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(world.state(i + 1).place.translation.y(), 0.205 + 0.41 * i, 2e-3);
}

TEST(Reshape, wakes_a_sleeping_part_and_lets_it_settle_on_its_new_shape) {
  const PartSettings settings = two_hull_box(kSize, 500, Vec3(0, 0.205, 0));
  World world({});
  world.add_part(ground_part());
  const int box = world.add_part(settings);
  Loads loads;
  run(world, 4 * 240, kStep, loads);
  ASSERT_FALSE(world.is_awake(box));
  std::vector<Vec3> flatter = joined(std::get<Hulls>(settings.shape));
  for (Vec3& p : flatter) p.y() *= 0.5;
  world.reshape(box, {flatter, settings.inertia, world.state(box).place, Transform{}});
  EXPECT_TRUE(world.is_awake(box));
  run(world, 240, kStep, loads);
  EXPECT_NEAR(world.state(box).place.translation.y(), 0.105, 2e-3);
}

TEST(Reshape, is_felt_by_others) {
  const PartSettings settings = two_hull_box(kSize, 500, Vec3::Zero());
  World world({.gravity = Vec3::Zero()});
  const int box = world.add_part(settings);
  const int ball = world.add_part(dynamic_part(Sphere{0.1}, 500, Vec3(0.9, 0, 0)));
  Loads loads;
  run(world, 10, kStep, loads);
  EXPECT_EQ(world.state(ball).velocity.norm(), 0);
  std::vector<Vec3> longer = joined(std::get<Hulls>(settings.shape));
  for (Vec3& p : longer) p.x() *= 1.7;
  world.reshape(box, {longer, settings.inertia, world.state(box).place, Transform{}});
  run(world, 10, kStep, loads);
  EXPECT_GT(world.state(ball).velocity.x(), 0.1);
}

TEST(Reshape, leaves_joints_where_they_are_in_the_world) {
  for (const JointKind kind : {JointKind::Hinge, JointKind::Slider, JointKind::Ball, JointKind::Fixed}) {
    const PartSettings settings = two_hull_box(kSize, 500, Vec3(0.5, 0, 0));
    World world({.gravity = Vec3::Zero()});
    const int box = world.add_part(settings);
    const int joint = world.add_joint({.kind = kind, .part_a = box, .at = Vec3(0, 0, 0), .axis = Vec3::UnitZ()});
    Loads loads;
    world.step(kStep, loads);
    world.reshape(box, QuarterTurn(settings, world.state(box).place).change);
    run(world, 100, kStep, loads);
    EXPECT_LT((world.state(box).place * world.joint_frames(joint).in_a.translation).norm(), 1e-9);
    EXPECT_LT((world.state(box).place.translation - Vec3(0.5, 0, 0)).norm(), 1e-9);
  }
}

TEST(Reshape, parts_may_come_and_go_in_between) {
  World world({});
  world.add_part(ground_part());
  const Vec3 size(0.5, 0.3, 0.3);
  std::vector<PartSettings> boxes;
  for (int i = 0; i < 4; ++i) {
    boxes.push_back(two_hull_box(size, 500, Vec3(0, 0.16 + 0.3 * i, 0)));
    world.add_part(boxes.back());
  }
  Loads loads;
  run(world, 60, 1.0 / 240, loads);
  const auto reshape = [&](int part, double height) {
    std::vector<Vec3> points;
    for (const auto& hull : std::get<Hulls>(boxes[part - 1].shape).points)
      for (const Vec3& p : hull) points.emplace_back(p.x(), height * p.y(), p.z());
    world.reshape(part, {points, boxes[part - 1].inertia, world.state(part).place, Transform{}});
  };
  reshape(2, 0.9);  // from here on it is known who touches whom
  world.remove_part(4);
  world.remove_part(1);
  const int late = world.add_part(two_hull_box(size, 500, Vec3(2, 0.5, 0)));
  boxes.push_back(boxes[0]);
  reshape(3, 0.8);
  reshape(late, 0.9);
  reshape(2, 0.8);
  run(world, 2 * 240, 1.0 / 240, loads);
  EXPECT_NEAR(world.state(2).place.translation.y(), 0.125, 0.005);  // 0.8 x 0.15 and the margin
  EXPECT_GT(world.state(3).place.translation.y(), 0.12);            // on it, or tumbled off
  EXPECT_LT(world.state(3).place.translation.y(), 0.38);
  EXPECT_NEAR(world.state(late).place.translation.y(), 0.14, 0.005);
}

}  // namespace
}  // namespace crumple::rigid
