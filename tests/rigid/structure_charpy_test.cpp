// The impact test of paper 5: a specimen of 10 x 10 x 55 mm with a notch of 2 mm, on two anvils 40 mm apart, is driven through the gap. The rig is
// reduced to two halves, one joint, two anvils and a guided hammer without friction.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

constexpr double kHalf = 0.0275, kDepth = 0.01, kGap = 0.02;  // m: length of a half, its depth, half the gap between the anvils
constexpr double kModulus = 200e9, kDensity = 7800;

double plastic_moment(double yield_stress) {
  return 0.01 * 0.008 * 0.008 / 4 * yield_stress;  // what the notch leaves
}

/// The turn of both halves together at which their corners come free of the anvils: 1.9065 rad.
double pass_angle() {
  return 2 * (std::atan(kDepth / 2 / kHalf) + std::acos(kGap / std::hypot(kHalf, kDepth / 2)));
}

PlasticLaw notch(double yield_stress) {
  const double area = 0.01 * 0.008, second_moment = 0.01 * std::pow(0.008, 3) / 12;
  PlasticLaw law;
  law.stiffness << kModulus * area / kHalf, kModulus * area / kHalf, kModulus * area / kHalf, 3 * kModulus * second_moment / kHalf,
      3 * kModulus * second_moment / kHalf, 3 * kModulus * second_moment / kHalf;
  const double force = area * yield_stress, moment = plastic_moment(yield_stress);
  law.capacity << force, force / 2, force / 2, moment, moment, moment;
  return law;
}

struct Outcome {
  double work, loss;  // J: of the joint; of the hammer
  int breaks;
};
Outcome strike(double yield_stress, double dt, double ultimate_rotation = PlasticLaw::kNever, const View& view = {}) {
  Rig rig(view);
  const double mass = kDensity * kHalf * kDepth * kDepth;
  const int left = rig.add_box({.size = Vec3(kHalf, kDepth, kDepth), .mass = mass, .at = Vec3(-kHalf / 2, 0, 0)});
  const int right = rig.add_box({.size = Vec3(kHalf, kDepth, kDepth), .mass = mass, .at = Vec3(kHalf / 2, 0, 0)});
  PlasticLaw law = notch(yield_stress);
  law.ultimate_rotation = ultimate_rotation;
  rig.join(left, right, Vec3::Zero(), law);
  for (const double side : {-1.0, 1.0}) {
    rig.add_box({.size = Vec3(0.04, 0.1, 0.1), .at = Vec3(side * (kGap + 0.02), -0.05 - kDepth / 2, 0), .motion = Motion::Static, .piece = false});
  }
  const int hammer = rig.add_ball(0.002, 31.98, Vec3(0, kDepth / 2 + 0.0025, 0));
  rig.set_velocity(hammer, Vec3(0, -4.58, 0));
  const double before = 0.5 * 31.98 * 4.58 * 4.58;
  while (rig.place(hammer).y() > -0.045 && rig.velocity(hammer).y() < -0.5) rig.step(dt);
  return {rig.work(), before - 0.5 * 31.98 * rig.velocity(hammer).squaredNorm(), rig.broken};
}

TEST(StructureCharpy, the_joint_works_what_the_pass_angle_asks) {
  EXPECT_NEAR(pass_angle(), 1.9065, 1e-4);
  EXPECT_NEAR(plastic_moment(400e6), 64, 1e-9);
  for (const double dt : {1e-4, 5e-5, 2e-5}) {
    const Outcome outcome = strike(400e6, dt);
    EXPECT_NEAR(outcome.work, 122.0, 0.05 * 122) << dt;
    EXPECT_NEAR(outcome.loss, 122.0, 0.1 * 122) << dt;
    record_row("Charpy at " + digits(1000 * dt, 2) + " ms, joint work (J)", digits(outcome.work, 1), "122.0",
               dt == 1e-4   ? "110-120 (the hammer's loss)"
               : dt == 5e-5 ? "150 (the hammer's loss)"
                            : "");
  }
}

TEST(StructureCharpy, the_work_is_linear_in_the_yield_stress) {
  for (const double yield_stress : {200e6, 800e6}) {
    const double exact = pass_angle() * plastic_moment(yield_stress);
    const double work = strike(yield_stress, 2e-5).work;
    EXPECT_NEAR(work, exact, 0.05 * exact) << yield_stress;
    record_row("Charpy with " + digits(yield_stress / 1e6, 0) + " MPa, joint work (J)", digits(work, 1), digits(exact, 1));
  }
}

TEST(StructureCharpy, a_brittle_specimen_breaks_with_what_it_can_take) {
  const Outcome outcome = strike(400e6, 5e-5, 1.5);
  EXPECT_EQ(outcome.breaks, 1);
  EXPECT_NEAR(outcome.work, 64 * 1.5, 0.02 * 96);
  record_row("Charpy that breaks at 1.5 rad, joint work (J)", digits(outcome.work, 1), "96.0", "95");
}

}  // namespace
}  // namespace crumple::rigid::testing
