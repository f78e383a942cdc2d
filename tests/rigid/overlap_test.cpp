#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/rigid/world.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr double kMargin = 0.005;  // of hulls

/// A cube of one metre with hull margin that begins at x.
PartSettings cube_from(double x, const Vec3& velocity = Vec3::Zero()) {
  PartSettings settings = dynamic_part(Box{Vec3::Ones()}, 100, Vec3(x + 0.5, 0, 0));
  const double half = 0.5 - kMargin;
  settings.shape = Hulls{{box_corners(Vec3::Constant(-half), Vec3::Constant(half))}, kMargin};
  settings.state.velocity = velocity;
  return settings;
}

/// A ball of one metre: it touches in one point, so that hits are central.
PartSettings ball_from(double x, const Vec3& velocity = Vec3::Zero()) {
  PartSettings settings = dynamic_part(Sphere{0.5}, 100, Vec3(x + 0.5, 0, 0));
  settings.surface.restitution = 1;
  settings.state.velocity = velocity;
  return settings;
}

World weightless() {
  return World({.gravity = Vec3::Zero(), .sleeping = false});
}

double energy(const World& world, std::span<const PartSettings> parts) {
  double sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PartState state = world.state(static_cast<int>(i));
    const Vec3 spin = state.place.rotation.transpose() * state.spin;
    sum += 0.5 * (parts[i].mass * state.velocity.squaredNorm() + parts[i].inertia.dot(spin.cwiseAbs2()));
  }
  return sum;
}

/// How deep two balls or unturned cubes overlap along x.
double overlap(const World& world) {
  return 1 - (world.state(1).place.translation.x() - world.state(0).place.translation.x());
}

TEST(Overlap, parts_that_overlap_by_a_centimetre_stay_at_rest_if_they_may_and_are_thrown_apart_if_not) {
  const std::vector<PartSettings> parts = {cube_from(0), cube_from(0.99)};
  Loads loads;
  for (const bool allowed : {true, false}) {
    World world = weightless();
    for (const PartSettings& part : parts) world.add_part(part);
    if (allowed) world.allow_overlap({0, 1, kAny});
    double most = 0;
    for (int i = 0; i < 100; ++i) {
      world.step(kStep, loads);
      most = std::max(most, energy(world, parts));
    }
    if (allowed) {
      EXPECT_EQ(most, 0);
      EXPECT_NEAR(overlap(world), 0.01, 1e-12);
      ASSERT_EQ(world.overlaps().size(), 1u);
      EXPECT_NEAR(world.overlaps()[0].depth, 0.01, 1e-6);
    } else {
      EXPECT_GT(most, 1);  // J
      EXPECT_LT(overlap(world), 0.001);
    }
  }
}

TEST(Overlap, parts_that_approach_stop_where_they_are_and_keep_their_momentum) {
  World world = weightless();
  const std::vector<PartSettings> parts = {ball_from(0, Vec3(2, 0, 0)), ball_from(0.98)};
  for (const PartSettings& part : parts) world.add_part(part);
  world.allow_overlap({0, 1, kAny});
  const double before = energy(world, parts), mass = parts[0].mass;
  Loads loads;
  for (int i = 0; i < 200; ++i) {
    world.step(kStep, loads);
    EXPECT_NEAR(overlap(world), 0.02, 1e-6);
    EXPECT_NEAR(energy(world, parts), before / 2, 1e-6);  // as if they were one: nothing bounces, whatever the restitution
    EXPECT_NEAR(mass * (world.state(0).velocity.x() + world.state(1).velocity.x()), 2 * mass, 1e-9);
  }
}

TEST(Overlap, what_exceeds_the_depth_given_is_corrected) {
  World world = weightless();
  world.add_part(cube_from(0));
  world.add_part(cube_from(0.98));
  world.allow_overlap({0, 1, 0.015});
  Loads loads;
  run(world, 1, kStep, loads);
  EXPECT_EQ(world.overlaps()[0].depth, 0.015);
  EXPECT_GT(world.state(1).velocity.x(), 0);
}

TEST(Overlap, shrinks_while_parts_separate_and_ends_when_they_have) {
  World world = weightless();
  const double speed = 0.06;  // m/s: out of the overlap in a third of a second
  world.add_part(cube_from(0));
  world.add_part(cube_from(0.98, Vec3(speed, 0, 0)));
  world.allow_overlap({1, 0, kAny});
  Loads loads;
  double last = kAny;
  for (int i = 0; i < 200; ++i) {
    world.step(kStep, loads);
    EXPECT_TRUE(loads.contacts.empty());  // nothing holds them back
    EXPECT_EQ(world.state(1).velocity.x(), speed);
    const auto left = world.overlaps();
    const double expected = 0.02 - i * kStep * speed;
    ASSERT_EQ(left.size(), expected > 1e-6 ? 1u : 0u) << i;
    if (left.empty()) continue;
    EXPECT_LT(left[0].depth, last);
    EXPECT_NEAR(left[0].depth, expected, 1e-6);
    last = left[0].depth;
  }
}

TEST(Overlap, who_has_parted_and_comes_back_collides_like_any_other) {
  World parted = weightless();
  parted.add_part(ball_from(0));
  parted.add_part(ball_from(0.98, Vec3(0.5, 0, 0)));
  parted.allow_overlap({0, 1, kAny});
  Loads loads;
  run(parted, 60, kStep, loads);
  EXPECT_TRUE(parted.overlaps().empty());
  World strangers = weightless();
  for (int i = 0; i < 2; ++i) {
    PartSettings ball = ball_from(0);
    ball.state = parted.state(i);
    strangers.add_part(ball);
  }
  for (World* world : {&parted, &strangers}) {
    world->set_velocity(1, Vec3(-2, 0, 0), Vec3::Zero());
    run(*world, 120, kStep, loads);
    EXPECT_LT(world->state(0).velocity.x(), -1.9);  // they have swapped velocities, but for what the engine loses
    EXPECT_LT(overlap(*world), 0);
  }
  EXPECT_EQ(parted.state(0).velocity, strangers.state(0).velocity);
  EXPECT_EQ(parted.state(1).place.translation, strangers.state(1).place.translation);
}

TEST(Overlap, a_tumbling_hit_sinks_no_deeper_for_long_and_adds_no_energy) {
  World world = weightless();
  const std::vector<PartSettings> parts = {cube_from(0, Vec3(0.4, 0.1, 0)), cube_from(0.98)};
  for (const PartSettings& part : parts) world.add_part(part);
  world.allow_overlap({0, 1, kAny});
  const double before = energy(world, parts);
  Loads loads;
  for (int i = 0; i < 240; ++i) {
    world.step(kStep, loads);
    EXPECT_LE(energy(world, parts), before);
    for (const World::Overlap& overlap : world.overlaps()) EXPECT_LE(overlap.depth, 0.02 + 1e-6);
    for (const Contact& contact : loads.contacts) EXPECT_GT(contact.distance, -0.023);
  }
}

TEST(Overlap, loads_tell_the_true_distance) {
  World world = weightless();
  world.add_part(cube_from(0, Vec3(1, 0, 0)));
  world.add_part(cube_from(0.98));
  world.allow_overlap({0, 1, kAny});
  Loads loads;
  run(world, 1, kStep, loads);
  ASSERT_FALSE(loads.contacts.empty());
  for (const Contact& contact : loads.contacts) EXPECT_NEAR(contact.distance, -0.02, 1e-6);
}

TEST(Overlap, others_do_not_gain_from_it) {
  World world = weightless();
  world.add_part(cube_from(0));
  world.add_part(cube_from(0.98));
  world.add_part(cube_from(1.96));
  world.allow_overlap({0, 1, kAny});
  Loads loads;
  run(world, 5, kStep, loads);
  EXPECT_GT(world.state(2).velocity.x(), 0.05);
}

TEST(Overlap, is_forgotten_with_the_part_and_by_parts_that_never_touched) {
  World world = weightless();
  for (const double x : {0.0, 0.99, 1.98, 5.0}) world.add_part(cube_from(x));
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) world.allow_overlap({a, b, kAny});
  EXPECT_EQ(world.overlaps().size(), 6u);
  Loads loads;
  run(world, 1, kStep, loads);
  ASSERT_EQ(world.overlaps().size(), 2u);
  EXPECT_EQ(world.overlaps()[1].part_a, 1);
  EXPECT_EQ(world.overlaps()[1].part_b, 2);
  world.remove_part(2);
  ASSERT_EQ(world.overlaps().size(), 1u);
  EXPECT_EQ(world.overlaps()[0].part_b, 1);
  run(world, 5, kStep, loads);
}

/// Cubes on the ground, each a centimetre deep in the one below, turned against each other.
std::vector<PartSettings> sunken_stack() {
  std::vector<PartSettings> parts = {ground_part()};
  for (int i = 0; i < 4; ++i) {
    PartSettings cube = cube_from(0);
    cube.state.place.translation = Vec3(0.1 * (i % 2), 0.5 + 0.99 * i, 0);
    cube.state.place.rotation = turned(0.3 * i, Vec3::UnitY());
    parts.push_back(cube);
  }
  return parts;
}

World build(const std::vector<PartSettings>& parts, std::span<const World::Overlap> overlaps, bool sleeping) {
  World world({.sleeping = sleeping});
  for (const PartSettings& part : parts) world.add_part(part);
  for (const World::Overlap& overlap : overlaps) world.allow_overlap(overlap);
  return world;
}

std::vector<World::Overlap> between_neighbors() {
  return {{1, 2, kAny}, {2, 3, kAny}, {3, 4, kAny}};
}

TEST(Overlap, a_stack_rests_on_it_without_creeping_deeper) {
  World world = build(sunken_stack(), between_neighbors(), false);
  Loads loads;
  run(world, 5 * 240, kStep, loads);
  ASSERT_EQ(world.overlaps().size(), 3u);
  for (const World::Overlap& overlap : world.overlaps()) EXPECT_NEAR(overlap.depth, 0.01, 5e-4);
  for (int i = 1; i <= 4; ++i) {
    EXPECT_NEAR(world.state(i).place.translation.y(), 0.5 + 0.99 * (i - 1), 1e-3) << i;
    EXPECT_LT(world.state(i).velocity.norm(), 1e-3) << i;
  }
}

TEST(Overlap, worlds_rebuilt_with_what_was_left_of_it_go_on_alike) {
  std::vector<PartSettings> parts = sunken_stack();
  parts[4].state.velocity = Vec3(0.6, 0, 0.2);  // the top one slides off
  World original = build(parts, between_neighbors(), true);
  Loads loads;
  run(original, 40, kStep, loads);
  for (size_t i = 0; i < parts.size(); ++i) parts[i].state = original.state(static_cast<int>(i));
  const std::vector<World::Overlap> left = original.overlaps();
  ASSERT_FALSE(left.empty());
  World a = build(parts, left, true), b = build(parts, left, true), without = build(parts, {}, true);
  run(a, 400, kStep, loads);
  run(b, 400, kStep, loads);
  run(without, 400, kStep, loads);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(a.state(i), b.state(i))) << i;
  ASSERT_EQ(a.overlaps().size(), b.overlaps().size());
  for (size_t i = 0; i < a.overlaps().size(); ++i) EXPECT_EQ(a.overlaps()[i].depth, b.overlaps()[i].depth);
  EXPECT_GT(without.state(3).place.translation.y(), a.state(3).place.translation.y() + 0.01);  // it does matter
}

TEST(Overlap, lasts_while_parts_sleep_also_in_a_rebuilt_world) {
  std::vector<PartSettings> parts = sunken_stack();
  World world = build(parts, between_neighbors(), true);
  Loads loads;
  run(world, 5 * 240, kStep, loads);
  ASSERT_EQ(world.awake_count(), 0);
  ASSERT_EQ(world.overlaps().size(), 3u);
  for (size_t i = 0; i < parts.size(); ++i) parts[i].state = world.state(static_cast<int>(i));
  World rebuilt = build(parts, world.overlaps(), true);
  run(rebuilt, 10, kStep, loads);
  EXPECT_EQ(rebuilt.overlaps().size(), 3u);
  for (int i = 1; i <= 4; ++i) rebuilt.wake(i);
  run(rebuilt, 240, kStep, loads);
  EXPECT_EQ(rebuilt.overlaps().size(), 3u);
  for (int i = 1; i <= 4; ++i) EXPECT_NEAR(rebuilt.state(i).place.translation.y(), 0.5 + 0.99 * (i - 1), 2e-3) << i;  // contacts were found anew
}

}  // namespace
}  // namespace crumple::rigid
