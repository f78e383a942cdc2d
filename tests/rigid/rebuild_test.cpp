#include <cstring>

#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

/// Everything needed to build a world, as a checkpoint would hold it.
struct Description {
  std::vector<PartSettings> parts;
  std::vector<JointSettings> joints;
  std::vector<JointFrames> frames;
};

Description scene() {
  Description scene;
  scene.parts.push_back(ground_part());
  for (int i = 0; i < 12; ++i) {
    PartSettings box = two_hull_box(Vec3(0.5, 0.3, 0.3), 500, Vec3(0.3 * (i % 3), 0.4 + 0.35 * i, 0.13 * (i % 4)));
    box.state.place.rotation = turned(0.3 * i, Vec3(1, i, 2));
    box.surface.restitution = 0.2;
    scene.parts.push_back(box);
  }
  for (int i = 0; i < 3; ++i) scene.parts.push_back(dynamic_part(Box{Vec3(0.4, 0.4, 0.4)}, 500, Vec3(4, 0.2 + 0.4 * i, 0)));
  for (int i = 0; i < 4; ++i) scene.parts.push_back(dynamic_part(Capsule{0.1, 0.5}, 800, Vec3(-3 + 0.5 * i, 2, 0)));
  PartSettings sleeper = dynamic_part(Cylinder{0.2, 0.4}, 700, Vec3(8, 0.2, 0));
  sleeper.state.activation = 2;
  scene.parts.push_back(sleeper);
  PartSettings sweeper = fixed_part(Box{Vec3(0.3, 0.3, 3)}, Vec3(-2, 0.2, 0));
  sweeper.motion = Motion::Scripted;
  sweeper.state.velocity = Vec3(0.8, 0, 0);
  sweeper.state.spin = Vec3(0, 0.3, 0);
  scene.parts.push_back(sweeper);
  const JointKind kinds[] = {JointKind::Ball, JointKind::Hinge, JointKind::Slider, JointKind::Fixed};
  for (int i = 0; i < 4; ++i)
    scene.joints.push_back(
        {.kind = kinds[i], .part_a = 16 + i, .part_b = i < 3 ? 17 + i : -1, .at = Vec3(-2.75 + 0.5 * i, 2, 0), .axis = Vec3::UnitZ()});
  return scene;
}

World build(const Description& scene) {
  World world({});
  for (const PartSettings& part : scene.parts) world.add_part(part);
  for (size_t i = 0; i < scene.joints.size(); ++i) {
    if (scene.frames.empty())
      world.add_joint(scene.joints[i]);
    else
      world.add_joint(scene.joints[i], scene.frames[i]);
  }
  return world;
}

Description saved(const World& world, Description scene) {
  for (size_t i = 0; i < scene.parts.size(); ++i) scene.parts[i].state = world.state(static_cast<int>(i));
  scene.frames.clear();
  for (size_t i = 0; i < scene.joints.size(); ++i) scene.frames.push_back(world.joint_frames(static_cast<int>(i)));
  return scene;
}

void expect_same(const World& a, const World& b, size_t parts) {
  for (size_t i = 0; i < parts; ++i) EXPECT_TRUE(same_bits(a.state(static_cast<int>(i)), b.state(static_cast<int>(i)))) << "part " << i;
}

TEST(Rebuild, state_goes_in_and_out_unchanged) {
  const Description first = scene();
  World world = build(first);
  Loads loads;
  run(world, 100, kStep, loads);
  const Description middle = saved(world, first);
  const World again = build(middle);
  expect_same(world, again, first.parts.size());
  for (size_t i = 0; i < middle.parts.size(); ++i) world.set_state(static_cast<int>(i), middle.parts[i].state);
  expect_same(world, again, first.parts.size());
}

TEST(Rebuild, two_worlds_from_the_same_calls_stay_equal_to_the_last_bit) {
  const Description first = scene();
  World a = build(first), b = build(first);
  Loads loads_a, loads_b;
  for (int i = 0; i < 500; ++i) {
    a.step(kStep, loads_a);
    b.step(kStep, loads_b);
    ASSERT_EQ(loads_a.contacts.size(), loads_b.contacts.size());
  }
  expect_same(a, b, first.parts.size());
}

TEST(Rebuild, worlds_rebuilt_from_a_saved_state_go_on_alike) {
  const Description first = scene();
  World original = build(first);
  Loads loads;
  run(original, 300, kStep, loads);
  const Description middle = saved(original, first);
  World a = build(middle);
  {
    World other = build(first);
    run(other, 37, kStep, loads);
  }  // leaves other memory behind
  World b = build(middle);
  run(a, 700, kStep, loads);
  const size_t contacts = loads.contacts.size();
  run(b, 700, kStep, loads);
  EXPECT_EQ(loads.contacts.size(), contacts);
  expect_same(a, b, first.parts.size());
  const PartState resting = a.state(13);
  EXPECT_EQ(resting.activation, 2);  // the small stack fell asleep meanwhile
  EXPECT_FALSE(a.is_awake(20));      // who started asleep was never touched
}

TEST(Rebuild, what_slept_goes_on_sleeping) {
  const Description first = scene();
  World original = build(first);
  Loads loads;
  run(original, 1000, kStep, loads);
  const Description middle = saved(original, first);
  World rebuilt = build(middle);
  for (int step = 0; step < 3; ++step) {
    rebuilt.step(kStep, loads);
    for (int part = 13; part < 16; ++part) {
      EXPECT_FALSE(rebuilt.is_awake(part));
      EXPECT_EQ(rebuilt.state(part).place.translation, middle.parts[part].state.place.translation);
    }
  }
}

TEST(Rebuild, what_sleeps_falls_when_its_support_is_taken_away) {
  World original({});
  const int shelf = original.add_part(fixed_part(Box{Vec3(2, 0.2, 2)}, Vec3(0, -0.1, 0)));
  PartSettings box = dynamic_part(Box{Vec3(0.5, 0.5, 0.5)}, 500, Vec3(0, 0.25, 0));
  const int resting = original.add_part(box);
  Loads loads;
  run(original, 4 * 240, kStep, loads);
  ASSERT_FALSE(original.is_awake(resting));
  World rebuilt({});
  rebuilt.add_part(fixed_part(Box{Vec3(2, 0.2, 2)}, Vec3(0, -0.1, 0)));
  box.state = original.state(resting);
  rebuilt.add_part(box);
  run(rebuilt, 10, kStep, loads);
  ASSERT_FALSE(rebuilt.is_awake(resting));
  rebuilt.remove_part(shelf);
  run(rebuilt, 240, kStep, loads);
  EXPECT_NEAR(rebuilt.state(resting).velocity.y(), -9.81, 0.05);
}

TEST(Rebuild, reshapes_are_deterministic) {
  const auto play = [] {
    const Description first = scene();
    World world = build(first);
    Loads loads;
    for (int i = 0; i < 400; ++i) {
      world.step(kStep, loads);
      for (const Contact& c : loads.contacts) {
        if (c.hull_a < 0 || c.impulse < 20) continue;
        const Hulls& hulls = std::get<Hulls>(first.parts[c.part_a].shape);
        std::vector<Vec3> points;
        for (const auto& hull : hulls.points)
          for (const Vec3& p : hull) points.push_back(p * (1 - 0.001 * (i % 50)));
        world.reshape(c.part_a, {points, first.parts[c.part_a].inertia, world.state(c.part_a).place, Transform{}});
      }
    }
    return world;
  };
  const World a = play(), b = play();
  expect_same(a, b, scene().parts.size());
}

TEST(Rebuild, what_rests_on_one_hull_falls_asleep_although_the_world_is_rebuilt_every_second) {
  // Shards of 10 cm: one point under a corner tips them at more than the spin below which parts are at rest.
  Description scene;
  scene.parts.push_back(ground_part());
  for (int i = 0; i < 6; ++i) {
    PartSettings shard = dynamic_part(Box{Vec3(0.1, 0.05, 0.08)}, 500, Vec3(i, 0.03, 0));
    shard.shape = Hulls{{box_corners(Vec3(-0.05, -0.025, -0.04), Vec3(0.05, 0.025, 0.04))}, 0.005};
    shard.state.place.rotation = turned(0.5 * i, Vec3::UnitY());
    scene.parts.push_back(shard);
  }
  World world = build(scene);
  Loads loads;
  for (int second = 0; second < 5; ++second) {
    run(world, 240, kStep, loads);
    world = build(scene = saved(world, scene));
  }
  EXPECT_EQ(world.awake_count(), 0);
}

TEST(Rebuild, what_was_at_rest_and_is_thrown_right_after_a_rebuild_does_not_fall_asleep_in_the_air) {
  Description scene;
  scene.parts.push_back(ground_part());
  scene.parts.push_back(two_hull_box(Vec3(0.2, 0.2, 0.2), 500, Vec3(0, 0.105, 0)));
  World world = build(scene);
  Loads loads;
  run(world, 470, kStep, loads);
  ASSERT_GT(world.state(1).idle_time, 1.8);
  scene = saved(world, scene);
  scene.parts[1].state.velocity = Vec3(0, 0.3, 0);
  world = build(scene);
  run(world, 60, kStep, loads);
  EXPECT_LT(world.state(1).idle_time, 0.3);
}

}  // namespace
}  // namespace crumple::rigid
