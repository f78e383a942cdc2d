// Structures hold just below their limit load and move just above it: plastic theory against the whole engine. Gravity is ramped.
#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

constexpr double kLimitStep = 1.0 / 60;
constexpr double kStrong = 1.02, kWeak = 0.98;

std::string verdict(double strong, double weak, int places) {
  return digits(strong, places) + " / " + digits(weak, places);
}

struct Fate {
  double moved, plastic;  // m; rad of all joints together
};

/// A clamped bar under its own weight that can take `strength` times what statics asks.
Fate load_chain(int pieces, double strength, const View& view = {}) {
  Rig rig(view);
  const BarLaw law{.bending_rigidity = 1e8, .bending_capacity = strength * 13500};  // w L^2 / 2
  BarSettings bar{.pieces = pieces, .law = law};
  const std::vector<int> parts = add_bar(rig, bar);
  const double length = bar.length / pieces;
  clamp(rig, parts[0], Vec3::Zero(), law, length);
  rig.ramp_gravity(Vec3(0, -10, 0), 2, kLimitStep);
  rig.run(1, kLimitStep);
  return {-rig.point(parts.back(), Vec3(length / 2, 0, 0)).y(), rig.rotation()};
}

/// The tip of a rigid bar that turns about a perfectly plastic hinge of that strength, by hand and in the same steps.
double rigid_fall(double strength) {
  double angle = 0, spin = 0;
  for (int i = 1; i <= 180; ++i) {
    const double weight = std::min(i / 120.0, 1.0) * 13500 * std::cos(angle);
    spin = std::max(0.0, spin + kLimitStep * (weight - strength * 13500) / (900 * (9.0 / 3 + 0.09 / 12)));
    angle += kLimitStep * spin;
  }
  return 3 * std::sin(angle);
}

TEST(StructureLimit, chains_hold_and_fall_where_they_should) {
  const double fallen = rigid_fall(kWeak);
  EXPECT_NEAR(fallen, 0.160, 0.001);  // 0.1 rad/s^2 for a second, and the end of the ramp
  for (const int n : {1, 2, 4, 8, 16, 32, 64}) {
    const Fate strong = load_chain(n, kStrong), weak = load_chain(n, kWeak);
    const double elastic = 3e-4 * (1 + 1.0 / (n * n));
    EXPECT_NEAR(strong.moved, elastic, 0.02 * elastic) << n;
    EXPECT_EQ(strong.plastic, 0) << n;
    EXPECT_NEAR(weak.moved, fallen + elastic, 0.01 * fallen) << n;
    record_row("cantilever of " + std::to_string(n) + ", tip at 1.02 / 0.98 of its capacity (m)", verdict(strong.moved, weak.moved, 4),
               verdict(elastic, fallen + elastic, 4));
  }
}

TEST(StructureLimit, chains_fall_alike_in_every_view) {
  expect_objective([](const View& view) { return load_chain(8, kWeak, view).moved; });
  expect_objective([](const View& view) { return load_chain(8, kStrong, view).moved; });
}

/// A portal frame of 4 x 6 m with clamped feet that is pulled sideways; every piece weighs alike. It goes with hinges at both ends of both columns.
Fate load_portal(int pieces_each, double strength, const View& view = {}) {
  constexpr double kHeight = 4, kSpan = 6, kBeam = 6000, kColumn = 4000, kPull = 10;
  Rig rig(view);
  const double limit = kPull * (kBeam + kColumn) * kHeight / 4;  // both columns' weights work half as far as the beam's
  const BarLaw law{.bending_rigidity = 1e9, .bending_capacity = strength * limit, .height = 0.4};
  const auto bar = [&](const Vec3& from, const Vec3& along, double length, double mass) {
    return add_bar(rig, {.from = from, .along = along, .length = length, .mass = mass, .pieces = pieces_each, .law = law});
  };
  const double column_piece = kHeight / pieces_each, beam_piece = kSpan / pieces_each;
  const std::vector<int> left = bar(Vec3::Zero(), Vec3::UnitY(), kHeight, kColumn);
  const std::vector<int> beam = bar(Vec3(0, kHeight, 0), Vec3::UnitX(), kSpan, kBeam);
  const std::vector<int> right = bar(Vec3(kSpan, kHeight, 0), -Vec3::UnitY(), kHeight, kColumn);
  rig.join(beam.front(), left.back(), Vec3(0, kHeight, 0), bar_law(law, (column_piece + beam_piece) / 2));
  rig.join(right.front(), beam.back(), Vec3(kSpan, kHeight, 0), bar_law(law, (column_piece + beam_piece) / 2));
  clamp(rig, left.front(), Vec3::Zero(), law, column_piece, Vec3::UnitY());
  clamp(rig, right.back(), Vec3(kSpan, 0, 0), law, column_piece, -Vec3::UnitY());
  rig.ramp_gravity(Vec3(kPull, 0, 0), 2, kLimitStep);
  rig.run(1, kLimitStep);
  return {rig.point(beam.front(), Vec3(-beam_piece / 2, 0, 0)).x(), rig.rotation()};
}

TEST(StructureLimit, portal_frames_hold_and_sway_where_they_should) {
  const Fate one = load_portal(2, kWeak);
  for (const int pieces : {2, 4, 8, 16}) {  // 7, 13, 25 and 49 joints
    const Fate strong = load_portal(pieces, kStrong), weak = load_portal(pieces, kWeak);
    EXPECT_LT(strong.moved, 0.02) << pieces;
    EXPECT_LT(strong.plastic, 0.001) << pieces;  // hinges do not come all at once
    // 0.02 of the limit turns columns and beam: 4 m * 0.02 * 10 m/s^2 * 10 t / (6 t + 8/3 t) / 4 m for 1.04 s, about
    EXPECT_NEAR(weak.moved - strong.moved, 0.0577 * 4 * 1.04 * 1.04 / 2, 0.006) << pieces;
    EXPECT_NEAR(weak.moved - strong.moved, one.moved - load_portal(2, kStrong).moved, 0.003) << pieces;
    record_row("portal of " + std::to_string(3 * pieces + 1) + " joints, sway at 1.02 / 0.98 (m)", verdict(strong.moved, weak.moved, 4),
               "elastic / 0.125 more");
  }
}

TEST(StructureLimit, portal_frames_sway_alike_in_every_view) {
  expect_objective([](const View& view) { return load_portal(4, kWeak, view).moved; });
}

/// A plate on two opposite edges under its own weight.
Fate load_slab(int cells, double strength) {
  Rig rig;
  constexpr double kSize = 6, kMass = 18000;
  const double limit = kMass * 10 / 8;  // w L^2 / 8 for each metre of width
  PlateSettings settings{.size = kSize, .mass = kMass, .cells = cells, .bending_rigidity = 2e8, .bending_capacity = strength * limit};
  const Plate plate = add_plate(rig, settings);
  for (int z = 0; z < cells; ++z) {
    const double at = (z + 0.5) * plate.cell - kSize / 2;
    rest(rig, plate.part(0, z), Vec3(-kSize / 2, 0, at), false);
    rest(rig, plate.part(cells - 1, z), Vec3(kSize / 2, 0, at), true);
  }
  rig.ramp_gravity(Vec3(0, -10, 0), 2, kLimitStep);
  rig.run(1, kLimitStep);
  return {-rig.point(plate.part(cells / 2, cells / 2), Vec3(-plate.cell / 2, 0, 0)).y(), rig.rotation()};
}

TEST(StructureLimit, a_slab_on_two_edges_holds_and_falls_where_it_should) {
  const Fate strong = load_slab(12, kStrong), weak = load_slab(12, kWeak);
  EXPECT_LT(strong.moved, 0.01);
  EXPECT_LT(strong.plastic, 1e-6);
  // Halves turn about the edges: 3/2 * 0.02 g for the middle, over a little more than a second.
  EXPECT_NEAR(weak.moved - strong.moved, 0.3 * 1.04 * 1.04 / 2, 0.006);
  record_row("slab of 12 x 12 on two edges, sag at 1.02 / 0.98 (m)", verdict(strong.moved, weak.moved, 4), "elastic / 0.162 more");
}

/// A block stands on the middle of a bar of 8 m and 20 t that rests on its ends.
Fate load_by_block(double block_mass, double strength, const View& view = {}) {
  constexpr double kLength = 8, kMass = 20000, kHeight = 0.5, kHalfBlock = 0.25;
  Rig rig(view);
  const double limit = 10 * (kMass * kLength / 8 + block_mass / 2 * (kLength / 2 - kHalfBlock));  // the block stands on its edges
  const BarLaw law{.bending_rigidity = 1e9, .bending_capacity = strength * limit, .height = kHeight};
  const std::vector<int> parts = add_bar(rig, {.from = Vec3(-kLength / 2, 0, 0), .length = kLength, .mass = kMass, .pieces = 16, .law = law});
  rest(rig, parts.front(), Vec3(-kLength / 2, 0, 0), false, 1e11);
  rest(rig, parts.back(), Vec3(kLength / 2, 0, 0), true, 1e11);
  const int block = rig.add_box({.size = Vec3(2 * kHalfBlock, 0.5, 0.4), .mass = block_mass, .at = Vec3(0, kHeight / 2 + 0.25, 0), .piece = false});
  rig.ramp_gravity(Vec3(0, -10, 0), 2, kLimitStep);
  rig.run(1, kLimitStep);
  EXPECT_LT(std::abs(rig.place(block).x()), 0.05);
  double pushed = 0;
  for (const Contact& contact : rig.loads.contacts) pushed += contact.impulse;
  if (strength > 1) {
    EXPECT_NEAR(pushed, block_mass * 10 * kLimitStep, 0.001 * block_mass * 10 * kLimitStep);  // what hits are read from
  }
  return {-rig.point(parts[8], Vec3(-kLength / 32, 0, 0)).y(), rig.rotation()};
}

TEST(StructureLimit, a_bar_under_a_block_holds_and_falls_where_it_should) {
  for (const double mass : {20e3, 200e3}) {
    const Fate strong = load_by_block(mass, kStrong), weak = load_by_block(mass, kWeak);
    EXPECT_LT(strong.moved, 0.03) << mass;
    EXPECT_LT(strong.plastic, 1e-4) << mass;
    EXPECT_GT(weak.moved - strong.moved, 0.1) << mass;
    record_row("bar of 16 under a block of " + digits(mass / 1000, 0) + " t, sag at 1.02 / 0.98 (m)", verdict(strong.moved, weak.moved, 4),
               "elastic / falls");
  }
}

TEST(StructureLimit, a_bar_under_a_block_sags_alike_in_every_view) {
  expect_objective([](const View& view) { return load_by_block(20e3, kStrong, view).moved; });
}

/// A clamped bar whose weight bends it and pulls at it: half of its axial capacity at the wall.
Fate load_with_tension(int pieces, Interaction interaction, double moment_share, double strength) {
  Rig rig;
  const BarLaw bar_rows{.bending_rigidity = 1e8, .bending_capacity = strength * 13500 / moment_share};
  const auto law = [&](double length) {
    PlasticLaw result = bar_law(bar_rows, length);
    result.interaction = interaction;
    result.capacity.head<3>() << strength * 2 * 9000, PlasticLaw::kNever, PlasticLaw::kNever;
    return result;
  };
  const double length = 3.0 / pieces;
  int before = -1;
  for (int i = 0; i < pieces; ++i) {
    const int part = rig.add_box({.size = Vec3(length, 0.3, 0.3), .mass = 900.0 / pieces, .at = Vec3((i + 0.5) * length, 0, 0)});
    rig.join(part, before, Vec3(i * length, 0, 0), law(i > 0 ? length : length / 2));
    before = part;
  }
  rig.ramp_gravity(Vec3(10, -10, 0), 2, kLimitStep);
  rig.run(1, kLimitStep);
  return {-rig.point(before, Vec3(length / 2, 0, 0)).y(), rig.rotation()};
}

TEST(StructureLimit, tension_takes_its_share_of_the_bending_capacity) {
  for (const int n : {1, 4, 16}) {
    EXPECT_EQ(load_with_tension(n, Interaction::Beam, 0.75, kStrong).plastic, 0) << n;  // M / Mp + (N / Np)^2 = 1
    EXPECT_GT(load_with_tension(n, Interaction::Beam, 0.75, kWeak).plastic, 0.01) << n;
    EXPECT_EQ(load_with_tension(n, Interaction::Ellipsoid, std::sqrt(0.75), kStrong).plastic, 0) << n;
    EXPECT_GT(load_with_tension(n, Interaction::Ellipsoid, std::sqrt(0.75), kWeak).plastic, 0.01) << n;
    EXPECT_EQ(load_with_tension(n, Interaction::None, 1, kStrong).plastic, 0) << n;
  }
}

}  // namespace
}  // namespace crumple::rigid::testing
