#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

/// Impulse on one part, normals and friction together.
Vec3 impulse_on(int part, const Loads& loads) {
  Vec3 sum = Vec3::Zero();
  for (const Contact& c : loads.contacts) {
    if (c.part_a == part) sum += c.impulse * c.normal + c.friction;
    if (c.part_b == part) sum -= c.impulse * c.normal + c.friction;
  }
  return sum;
}

TEST(Contacts, at_rest_carry_the_weight) {
  World world({.sleeping = false});
  world.add_part(ground_part());
  const PartSettings settings = two_hull_box(Vec3(1, 0.4, 0.6), 500, Vec3(0, 0.205, 0));
  const int box = world.add_part(settings);
  Loads loads;
  run(world, 480, kStep, loads);
  EXPECT_NEAR(impulse_on(box, loads).y(), settings.mass * 9.81 * kStep, 1e-3 * settings.mass * 9.81 * kStep);
}

TEST(Contacts, of_an_impact_are_the_change_of_momentum) {
  World world({});
  world.add_part(ground_part());
  PartSettings settings = two_hull_box(Vec3(1, 0.4, 0.6), 500, Vec3(0, 1, 0));
  settings.state.place.rotation = turned(0.4, Vec3(1, 0.3, 2));
  settings.state.velocity = Vec3(1.5, -2, 0.3);
  const int box = world.add_part(settings);
  Loads loads;
  double largest = 0;
  for (int i = 0; i < 240; ++i) {
    const Vec3 before = world.state(box).velocity + Vec3(0, -9.81, 0) * kStep;
    world.step(kStep, loads);
    const Vec3 change = settings.mass * (world.state(box).velocity - before);
    EXPECT_NEAR(impulse_on(box, loads).y(), change.y(), 1e-9 * settings.mass);
    largest = std::max(largest, change.norm());
  }
  EXPECT_GT(largest, settings.mass);  // it did hit the ground
}

TEST(Contacts, name_the_hull_and_the_place_that_touched) {
  World world({});
  const int ground = world.add_part(ground_part());
  const int box = world.add_part(two_hull_box(Vec3(1, 0.4, 0.6), 500, Vec3(0, 0.21, 0)));
  const int top = world.add_part(two_hull_box(Vec3(1, 0.4, 0.6), 500, Vec3(0.2, 0.65, 0.1)));
  Loads loads;
  int seen = 0, pairs = 0;
  for (int i = 0; i < 240; ++i) {
    world.step(kStep, loads);
    for (const Contact& c : loads.contacts) {
      EXPECT_GT(c.impulse, 0);
      EXPECT_NEAR(c.normal.norm(), 1, 1e-9);
      for (const auto& [part, hull, local] : {std::tuple(c.part_a, c.hull_a, c.local_a), std::tuple(c.part_b, c.hull_b, c.local_b)}) {
        if (part == ground) {
          EXPECT_EQ(hull, -1);
          continue;
        }
        ++seen;
        EXPECT_TRUE(hull == 0 || hull == 1);
        EXPECT_TRUE(hull == 0 ? local.x() <= 0.006 : local.x() >= -0.006);
        EXPECT_LT(std::abs(std::abs(local.y()) - 0.205), 0.02);
      }
      pairs += c.part_a != ground && c.part_b != ground;
    }
  }
  EXPECT_GT(seen, 240);
  EXPECT_GT(pairs, 240);
  EXPECT_NE(box, top);
}

TEST(Contacts, friction_stays_within_the_cone) {
  World world({});
  PartSettings ground = ground_part();
  ground.surface.friction = 1;
  world.add_part(ground);
  PartSettings settings = dynamic_part(Box{Vec3(0.6, 0.2, 0.6)}, 500, Vec3(0, 0.1, 0));
  settings.surface.friction = 0.4;
  settings.state.velocity = Vec3(4, 0, 1);
  world.add_part(settings);
  Loads loads;
  for (int i = 0; i < 120; ++i) {
    world.step(kStep, loads);
    for (const Contact& c : loads.contacts) EXPECT_LE(c.friction.norm(), 0.4 * c.impulse * (1 + 1e-6) + 1e-9);
  }
}

}  // namespace
}  // namespace crumple::rigid
