// One block on one elastic-plastic joint, against closed forms.
#include <gtest/gtest.h>

#include "tests/rigid/structures.h"

namespace crumple::rigid::testing {
namespace {

constexpr double kBlockStep = 1.0 / 60;

// The hanging block of paper 5, sec. 3.
constexpr double kMass = 6006.96, kWeight = 10 * kMass, kYieldForce = 80e3, kStiffness = 80e3 / 0.0015;

PlasticLaw steel_in_tension() {
  PlasticLaw law;
  law.stiffness.setConstant(1e10);
  law.stiffness[0] = kStiffness;
  law.capacity[0] = kYieldForce;
  return law;
}

struct HangingBlock {
  explicit HangingBlock(const PlasticLaw& law, const View& view = {}) : rig(view) {
    block = rig.add_box({.size = Vec3(1, 3, 1), .mass = kMass, .at = Vec3(0, 3, 0)});
    joint = rig.join(block, -1, Vec3(0, 4.5, 0), law, Vec3::UnitY());
    rig.set_gravity(Vec3(0, -10, 0));
  }
  double location() const { return rig.place(block).y() - 3; }
  double impulse() const { return rig.loads.joints.empty() ? 0 : rig.loads.joints[0].impulse; }

  Rig rig;
  int block, joint;
};

TEST(StructureBlock, hangs_where_its_weight_stretches_the_bar) {
  HangingBlock block(steel_in_tension());
  block.rig.run(1, kBlockStep);
  EXPECT_NEAR(block.location(), -kWeight / kStiffness, 1e-8);
  EXPECT_NEAR(block.impulse(), 1001.16, 1e-3);
  EXPECT_NEAR(block.rig.force(block.joint)[0], -kWeight, 0.1);  // the block is pulled up, the bar's strain points down
  EXPECT_EQ(block.rig.elongation(), 0);
  record_row("hanging block, impulse of a step (N s)", digits(block.impulse(), 2), "1001.16", "1000 (table 3.6)");
  record_row("hanging block, sag (mm)", digits(-1000 * block.location(), 4), "1.1263", "0 (table 3.6, rigid)");
}

TEST(StructureBlock, does_not_move_at_all_with_the_switch_of_table_3_6) {
  PlasticLaw law = steel_in_tension();
  law.paper_switch = true;
  HangingBlock block(law);
  double moved = 0, differed = 0;
  for (int i = 0; i < 30; ++i) {
    block.rig.step(kBlockStep);
    moved = std::max(moved, std::abs(block.location()));
    differed = std::max(differed, std::abs(block.impulse() - 1001.16));
  }
  EXPECT_LT(moved, 1e-7);
  EXPECT_LT(differed, 0.05);
  EXPECT_EQ(block.rig.elongation(), 0);
  record_row("hanging block with eq. 3.2, sag (mm)", digits(1000 * moved, 4), "0", "0 (table 3.6)");
}

TEST(StructureBlock, gains_no_energy_on_either_side_of_the_switch) {
  for (const double ratio : {224.0, 226.0}) {  // k / m; the switch is at 225
    PlasticLaw law = steel_in_tension();
    law.paper_switch = true;
    law.stiffness[0] = ratio * kMass;
    law.capacity[0] = 3 * kWeight;
    HangingBlock block(law);
    const double start = block.rig.energy();
    double gain = 0;
    for (int i = 0; i < 600; ++i) {
      block.rig.step(kBlockStep);
      const double stored = ratio > 225 ? 0 : block.rig.elastic();  // beyond the switch nothing is stored
      gain = std::max(gain, block.rig.energy() - block.rig.elastic() + stored + block.rig.work() - start);
    }
    EXPECT_LE(gain, 1e-6 * kWeight) << ratio;
  }
}

/// How far a block that turns about its end goes until the joint has stopped it.
struct Stop {
  double angle, work;
};
Stop stop_turning(double dt, const View& view = {}) {
  Rig rig(view);
  const int block = rig.add_box({.size = Vec3(6, 1, 1), .mass = 12000, .at = Vec3(3, 0, 0)});
  PlasticLaw law;
  law.stiffness << 1e12, 1e12, 1e12, 1e12, 1e12, 1e12;
  law.capacity.tail<3>().setConstant(300e3);
  rig.join(block, -1, Vec3::Zero(), law);
  rig.set_velocity(block, Vec3(0, 1.5, 0), Vec3(0, 0, 0.5));
  rig.run(0.5, dt);
  return {rig.rotation(), rig.work()};
}

TEST(StructureBlock, stops_turning_at_the_angle_of_plastic_work) {
  const double inertia = 12000 * (36.0 / 3 + 1.0 / 12), exact = inertia * 0.25 / (2 * 300e3);  // 0.06042
  for (const double dt : {1.0 / 60, 1.0 / 120, 1.0 / 240, 1.0 / 1000}) {
    const Stop stop = stop_turning(dt);
    EXPECT_NEAR(stop.angle, exact - 0.5 * dt / 2, 1.5e-4) << dt;  // steps end with their speed, so each is short by half of what it loses
    EXPECT_NEAR(stop.work, 300e3 * stop.angle, 1) << dt;
  }
  const Stop fine = stop_turning(1.0 / 4000);
  EXPECT_NEAR(fine.work, 18125, 0.002 * 18125);
  record_row("plastic stop, angle at dt 1/60 s (rad)", digits(stop_turning(1.0 / 60).angle, 5), "0.05625 (0.06042 - w0 dt / 2)");
  record_row("plastic stop, dissipated at dt 1/4000 s (J)", digits(fine.work, 0), "18125");
}

TEST(StructureBlock, stops_at_the_same_angle_in_every_view) {
  expect_objective([](const View& view) { return stop_turning(kBlockStep, view).angle; });
  expect_objective([](const View& view) { return stop_turning(kBlockStep, view).work; });
}

/// A hanging block that falls with a speed already.
struct Pull {
  double elongation, speed, work;  // speed: down, directly after it broke
  int breaks;
};
Pull pull(double speed, double dt, const View& view = {}) {
  PlasticLaw law = steel_in_tension();
  law.stiffness[0] = 1e11;
  law.ultimate_elongation = 0.2;
  HangingBlock block(law, view);
  block.rig.set_velocity(block.block, Vec3(0, -speed, 0));
  for (double time = 0; time < 1 && block.rig.broken == 0; time += dt) block.rig.step(dt);
  return {block.rig.elongation(), -block.rig.velocity(block.block).y(), block.rig.work(), block.rig.broken};
}

TEST(StructureBlock, elongates_by_what_its_energy_can_do_and_holds) {
  const double slowing = (kYieldForce - kWeight) / kMass, exact = 1 / (2 * slowing);  // 0.1507 m
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    const Pull pulled = pull(1, dt);
    EXPECT_EQ(pulled.breaks, 0);
    EXPECT_NEAR(pulled.elongation, exact - dt / 2, 2e-4) << dt;
    EXPECT_NEAR(pulled.work, kYieldForce * pulled.elongation, 1) << dt;
  }
  record_row("elongation at 1 m/s, dt 1/1000 s (m)", digits(pull(1, 1e-3).elongation, 4), "0.1507");
}

TEST(StructureBlock, breaks_at_its_ultimate_elongation_and_keeps_the_rest_of_its_speed) {
  const double slowing = (kYieldForce - kWeight) / kMass, exact = std::sqrt(1.5 * 1.5 - 2 * slowing * 0.2);  // 0.961 m/s
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    const Pull pulled = pull(1.5, dt);
    EXPECT_EQ(pulled.breaks, 1);
    EXPECT_NEAR(pulled.elongation, 0.2, 1e-6) << dt;
    EXPECT_NEAR(pulled.work, kYieldForce * 0.2, 0.002 * kYieldForce) << dt;
    EXPECT_NEAR(pulled.speed, exact, 10 * dt) << dt;  // to the gravity of the step in which it breaks
  }
  record_row("speed after the break at 0.2 m, dt 1/1000 s (m/s)", digits(pull(1.5, 1e-3).speed, 3), "0.961");
}

TEST(StructureBlock, elongates_and_breaks_alike_in_every_view) {
  expect_objective([](const View& view) { return pull(1, kBlockStep, view).elongation; });
  expect_objective([](const View& view) { return pull(1.5, kBlockStep, view).speed; });
}

/// A scripted part pulls and pushes the bar to and fro by 5 mm.
struct Cycle {
  double quarter, whole;  // J dissipated in the first quarter, and in a cycle after it
  double pulled, pushed;  // m of plastic offset after each
};
Cycle hysteresis(double dt, const View& view = {}) {
  constexpr double kAmplitude = 0.005, kSpeed = 0.02;
  Rig rig(view);
  const int block = rig.add_box({.mass = 1000});
  const int driver = rig.add_box({.mass = 1000, .at = Vec3(2, 0, 0), .motion = Motion::Scripted});
  PlasticLaw support;
  support.stiffness.setConstant(1e13);
  rig.join(block, -1, Vec3(-1, 0, 0), support);
  const int bar = rig.join(driver, block, Vec3(1, 0, 0), steel_in_tension());
  const auto drive = [&](double distance) {
    rig.set_velocity(driver, Vec3(std::copysign(kSpeed, distance), 0, 0));
    rig.run(std::abs(distance) / kSpeed, dt);
  };
  const auto offset = [&] { return (view.swapped ? -1 : 1) * rig.world().plastic_state(bar).offset.x(); };
  Cycle cycle;
  drive(kAmplitude);
  cycle.quarter = rig.work();
  drive(-2 * kAmplitude), drive(2 * kAmplitude);  // the first half cycle starts from the virgin bar, the second does not
  const double before = rig.work();
  drive(-2 * kAmplitude), cycle.pushed = offset();
  drive(2 * kAmplitude), cycle.pulled = offset();
  cycle.whole = rig.work() - before;
  return cycle;
}

TEST(StructureBlock, dissipates_the_area_of_its_hysteresis_loop) {
  const double elastic = kYieldForce / kStiffness;
  for (const double dt : {1.0 / 120, 1.0 / 480}) {
    const Cycle cycle = hysteresis(dt);
    EXPECT_NEAR(cycle.quarter, 280, 0.02 * 280) << dt;
    EXPECT_NEAR(cycle.whole, 4 * kYieldForce * (0.005 - elastic), 0.02 * 1120) << dt;
    EXPECT_NEAR(cycle.pulled, 0.0035, 2e-5) << dt;
    EXPECT_NEAR(cycle.pushed, -0.0035, 2e-5) << dt;
  }
  record_row("hysteresis, dissipated in a cycle of 5 mm (J)", digits(hysteresis(1.0 / 120).whole, 1), "1120.0");
}

TEST(StructureBlock, dissipates_alike_in_every_view) {
  expect_objective([](const View& view) { return hysteresis(1.0 / 120, view).whole; });
  expect_objective([](const View& view) { return hysteresis(1.0 / 120, view).pushed; });
}

TEST(StructureBlock, falls_faster_by_what_its_weight_has_over_the_capacity) {
  // Paper 5's bending block: 366.3 kN m of weight against 300 kN m.
  const auto acceleration = [](const View& view) {
    Rig rig(view);
    const int block = rig.add_box({.size = Vec3(6, 1, 1), .mass = 12208.8, .at = Vec3(3, 0, 0)});
    PlasticLaw law;
    law.stiffness.setConstant(1e12);
    law.capacity.tail<3>().setConstant(300e3);
    rig.join(block, -1, Vec3::Zero(), law);
    rig.set_gravity(Vec3(0, -10, 0));
    rig.run(0.1, 1.0 / 600);
    return -rig.spin(block).z() / 0.1;
  };
  EXPECT_NEAR(acceleration({}), 0.4492, 0.0005);
  expect_objective(acceleration);
  record_row("bending block, acceleration (rad/s^2)", digits(acceleration({}), 4), "0.4492");
}

}  // namespace
}  // namespace crumple::rigid::testing
