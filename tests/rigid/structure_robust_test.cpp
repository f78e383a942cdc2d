// Structures among all the rest of a world: scripted supports, breaks in the middle of a hit, sleep, extreme ratios, piles, repetition.
#include <cstring>

#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

constexpr double kRobustStep = 1.0 / 120;

TEST(StructureRobust, a_bar_goes_where_its_scripted_support_carries_it) {
  Rig rig;
  const BarLaw law{.bending_rigidity = 1e7, .bending_capacity = 50e3};
  const int hand = rig.add_box({.size = Vec3(0.3, 0.3, 0.3), .at = Vec3(-0.15, 0, 0), .motion = Motion::Scripted});
  const std::vector<int> parts = add_bar(rig, {.pieces = 8, .law = law});
  rig.join(parts[0], hand, Vec3::Zero(), bar_law(law, 3.0 / 16));
  rig.set_velocity(hand, Vec3(0, 0.5, 0));
  rig.run(4, kRobustStep);
  EXPECT_LT((rig.velocity(parts.back()) - Vec3(0, 0.5, 0)).norm(), 1e-6);
  EXPECT_LT((rig.place(parts.back()) - rig.place(hand) - Vec3(3 - 3.0 / 16 + 0.15, 0, 0)).norm(), 1e-6);
}

TEST(StructureRobust, a_bar_turns_with_its_scripted_hub_and_is_pulled_as_theory_says) {
  Rig rig;
  const BarLaw law{.bending_rigidity = 1e7};
  const int hub = rig.add_box({.size = Vec3(0.3, 0.3, 0.3), .motion = Motion::Scripted});
  const std::vector<int> parts = add_bar(rig, {.pieces = 8, .law = law});
  const int root = rig.join(parts[0], hub, Vec3::Zero(), bar_law(law, 3.0 / 16));
  for (const int part : parts) rig.set_velocity(part, Vec3(0, 0, 2).cross(rig.place(part)), Vec3(0, 0, 2));
  rig.set_velocity(hub, Vec3::Zero(), Vec3(0, 0, 2));
  rig.run(5, 1.0 / 480);
  EXPECT_NEAR(rig.spin(parts.back()).z(), 2, 1e-3);
  EXPECT_NEAR(rig.force(root)[0], 900 * 4 * 1.5, 0.01 * 5400);  // m w^2 r
}

TEST(StructureRobust, a_bar_that_is_struck_breaks_and_nothing_is_gained) {
  Rig rig;
  const BarLaw law{.bending_rigidity = 1e8, .bending_capacity = 20e3};
  std::vector<int> parts;
  const auto brittle = [&](double length) {
    PlasticLaw result = bar_law(law, length);
    result.ultimate_rotation = 0.02, result.ultimate_elongation = 0.02;
    return result;
  };
  for (int i = 0; i < 12; ++i) {
    parts.push_back(rig.add_box({.size = Vec3(0.25, 0.3, 0.3), .mass = 75, .at = Vec3(-1.375 + 0.25 * i, 0, 0)}));
    if (i > 0) rig.join(parts[i], parts[i - 1], Vec3(-1.5 + 0.25 * i, 0, 0), brittle(0.25));
  }
  rig.join(parts[0], -1, Vec3(-1.5, 0, 0), brittle(0.125));
  rig.join(parts[11], -1, Vec3(1.5, 0, 0), brittle(0.125));
  const int ball = rig.add_ball(0.3, 1000, Vec3(0, 0.5, 0));
  rig.set_velocity(ball, Vec3(0, -10, 0));
  const double start = rig.energy();
  std::vector<int> broken;
  for (int i = 0; i < 120; ++i) {
    rig.step(kRobustStep);
    for (const JointBreak& one : rig.loads.breaks) broken.push_back(one.joint);
    ASSERT_LE(rig.energy() + rig.work() - start, 0.005 * start) << i;
  }
  EXPECT_GE(broken.size(), 1u);
  for (const int joint : broken) {
    EXPECT_FALSE(rig.world().has_joint(joint));
    EXPECT_EQ(rig.world().plastic_state(joint).broken, 1);
    EXPECT_LE(rig.world().plastic_state(joint).rotation(), 1.1 * 0.02);  // several break at once
  }
  EXPECT_LT(rig.place(ball).y(), -1);  // through it
}

TEST(StructureRobust, a_structure_at_rest_sleeps_and_a_hit_wakes_it) {
  Rig rig({}, true);
  rig.add_floor(0.5);
  const BarLaw law{.bending_rigidity = 1e8, .bending_capacity = 50e3};
  const std::vector<int> parts = add_bar(rig, {.from = Vec3(0, 1, 0), .pieces = 8, .law = law});
  clamp(rig, parts[0], Vec3(0, 1, 0), law, 3.0 / 8);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.run(5, kRobustStep);
  EXPECT_EQ(rig.world().awake_count(), 0);
  const double asleep = rig.place(parts.back()).y();
  rig.run(1, kRobustStep);
  EXPECT_EQ(rig.place(parts.back()).y(), asleep);
  const int ball = rig.add_ball(0.2, 300, Vec3(2.8, 2, 0));
  rig.set_velocity(ball, Vec3(0, -3, 0));
  double lowest = asleep;
  for (int i = 0; i < 120; ++i) {
    rig.step(kRobustStep);
    lowest = std::min(lowest, rig.place(parts.back()).y());
  }
  EXPECT_LT(lowest, asleep - 1e-4);
}

TEST(StructureRobust, extreme_ratios_stay_finite_and_hold) {
  for (const double stiffness : {1.0, 1e6, 1e12, 1e15}) {
    for (const double ratio : {1e-6, 1.0, 1e6}) {
      Rig rig;
      PlasticLaw law;
      law.stiffness.setConstant(stiffness);
      int before = -1;
      for (int i = 0; i < 6; ++i) {
        const int part = rig.add_box({.size = Vec3::Constant(0.5), .mass = i % 2 ? 1 : ratio, .at = Vec3(0.25 + 0.5 * i, 0, 0)});
        rig.join(part, before, Vec3(0.5 * i, 0, 0), law);
        before = part;
      }
      rig.set_gravity(Vec3(0, -10, 0));
      const double start = rig.energy();
      rig.run(3, kRobustStep);
      EXPECT_TRUE(rig.finite()) << stiffness << " " << ratio;
      EXPECT_LE(rig.energy() - start, 1e-3 * (3 * ratio + 3) * 10) << stiffness << " " << ratio;
      const bool stiff = stiffness >= 1e12 || (stiffness >= 1e6 && ratio <= 1);
      if (stiff) {
        EXPECT_LT(std::abs(rig.place(before).y()), 0.01) << stiffness << " " << ratio;
      }
    }
  }
}

/// The speed at which a ball of 5 m/s comes back from a slab, be it one static part or a structure.
double bounced(bool structure, double restitution) {
  Rig rig;
  std::vector<int> slab;
  if (structure) {
    slab = add_plate(rig, {.size = 3, .thickness = 0.3, .mass = 1e5, .cells = 3, .bending_rigidity = 1e9}).parts;
    for (const int part : slab) rest(rig, part, rig.place(part), false, 1e12);
  } else {
    slab = {rig.add_box({.size = Vec3(3, 0.3, 3), .motion = Motion::Static})};
  }
  const int ball = rig.add_ball(0.2, 10, Vec3(0, 0.55, 0));
  rig.world().set_restitution(ball, restitution);
  for (const int part : slab) rig.world().set_restitution(part, 1);
  rig.set_velocity(ball, Vec3(0, -5, 0));
  rig.run(0.2, kRobustStep);
  return rig.velocity(ball).y();
}

TEST(StructureRobust, a_ball_bounces_off_a_structure_as_off_anything_else) {
  EXPECT_NEAR(bounced(true, 0), bounced(false, 0), 0.001);
  EXPECT_NEAR(bounced(true, 0.6), bounced(false, 0.6), 0.001);
  EXPECT_GT(bounced(true, 0.6), 3);
}

TEST(StructureRobust, a_part_that_is_taken_out_takes_its_joints_with_it) {
  Rig rig;
  const std::vector<int> parts = add_bar(rig, {.pieces = 4, .law = {.bending_capacity = 20e3}});
  const int wall = clamp(rig, parts[0], Vec3::Zero(), {.bending_capacity = 20e3}, 0.75);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.run(0.5, kRobustStep);
  rig.world().remove_part(parts[1]);
  EXPECT_TRUE(rig.world().has_joint(wall));
  EXPECT_FALSE(rig.world().has_joint(rig.joints[0]));
  EXPECT_FALSE(rig.world().has_joint(rig.joints[1]));
  EXPECT_TRUE(rig.world().has_joint(rig.joints[2]));
  EXPECT_GT(rig.world().plastic_state(rig.joints[0]).peak_utilisation, 0.1);
  rig.run(0.5, kRobustStep);
  EXPECT_LT(rig.place(parts[3]).y(), -1);
  EXPECT_GT(rig.place(parts[0]).y(), -0.01);
}

/// A bar that falls while it yields; the world is made anew at half time, or not.
std::vector<double> fall(bool rebuild) {
  Rig rig;
  const BarLaw law{.bending_rigidity = 1e7, .bending_capacity = 8e3};
  const std::vector<int> parts = add_bar(rig, {.pieces = 6, .law = law});
  clamp(rig, parts[0], Vec3::Zero(), law, 0.5);
  rig.set_gravity(Vec3(0, -10, 0));
  rig.run(0.3, kRobustStep);
  Rig other;
  if (rebuild) {
    const std::vector<int> again = add_bar(other, {.pieces = 6, .law = law});
    clamp(other, again[0], Vec3::Zero(), law, 0.5);
    other.set_gravity(Vec3(0, -10, 0));
    for (const int part : again) other.world().set_state(part, rig.world().state(part));
    for (const int joint : other.joints) other.world().set_plastic_state(joint, rig.world().plastic_state(joint));
  }
  Rig& now = rebuild ? other : rig;
  now.run(0.3, kRobustStep);
  std::vector<double> numbers = {now.work(), now.rotation()};
  for (const int part : parts)
    for (const Vec3& v : {now.place(part), now.velocity(part), now.spin(part)}) numbers.insert(numbers.end(), v.data(), v.data() + 3);
  return numbers;
}

TEST(StructureRobust, a_world_that_is_made_anew_goes_on_to_the_bit) {
  const std::vector<double> straight = fall(false), rebuilt = fall(true);
  ASSERT_GT(straight[0], 100);
  EXPECT_EQ(std::memcmp(straight.data(), rebuilt.data(), straight.size() * sizeof(double)), 0);
}

struct Pile {
  std::vector<int> boxes;
  Plate plate;
};
Pile pile_up(Rig& rig) {
  Pile pile{{}, add_plate(rig, {.size = 3, .thickness = 0.1, .mass = 2000, .cells = 6, .bending_rigidity = 2e6, .bending_capacity = 40e3})};
  for (int i = 0; i < 6; ++i) {
    const double at = 0.5 * i + 0.25 - 1.5;
    rest(rig, pile.plate.part(0, i), Vec3(-1.5, 0, at), false);
    rest(rig, pile.plate.part(5, i), Vec3(1.5, 0, at), false);
  }
  for (int i = 0; i < 30; ++i) {
    const Vec3 at(0.45 * (i % 3 - 1) + 0.02 * (i % 2), 0.3 + 0.45 * (i / 9), 0.45 * (i / 3 % 3 - 1));
    pile.boxes.push_back(rig.add_box({.size = Vec3::Constant(0.4), .mass = 100, .at = at, .piece = false, .friction = 0.5}));
  }
  rig.set_gravity(Vec3(0, -10, 0));
  return pile;
}

TEST(StructureRobust, a_pile_on_a_plate_settles) {
  Rig rig;
  const Pile pile = pile_up(rig);
  const double start = rig.energy();
  for (int i = 0; i < 240; ++i) {
    rig.step(kRobustStep);
    ASSERT_LE(rig.energy() + rig.work() - start, 100.0) << i;  // of about 20 kJ above the plate
  }
  double fastest = 0;
  for (const int box : pile.boxes) {
    fastest = std::max(fastest, rig.velocity(box).norm());
    EXPECT_GT(rig.place(box).y(), 0.1);
    EXPECT_LT(rig.place(box).y(), 2.2);
  }
  EXPECT_LT(fastest, 0.1);
}

TEST(StructureRobust, two_runs_are_equal_to_the_bit) {
  const auto run = [] {
    Rig rig;
    const Pile pile = pile_up(rig);
    rig.run(0.5, kRobustStep);
    std::vector<double> numbers;
    for (const int part : pile.boxes)
      for (const Vec3& v : {rig.place(part), rig.velocity(part), rig.spin(part)}) numbers.insert(numbers.end(), v.data(), v.data() + 3);
    for (const int joint : rig.joints) numbers.push_back(rig.world().plastic_state(joint).work);
    for (const int joint : rig.joints) numbers.push_back(rig.force(joint)[4]);
    return numbers;
  };
  const std::vector<double> one = run(), two = run();
  ASSERT_EQ(one.size(), two.size());
  EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace crumple::rigid::testing
