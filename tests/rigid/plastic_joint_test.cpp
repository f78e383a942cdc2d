#include "crumple/rigid/plastic_joint.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/rigid/bullet.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using testing::turned;

Vec3 random_vector(Random& random, double size) {
  return size * Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
}

Mat3 turned_by(const Vec3& turn) {
  return turn.norm() > 0 ? turned(turn.norm(), turn) : Mat3(Mat3::Identity());
}

Transform random_place(Random& random) {
  return {turned_by(random_vector(random, 3)), random_vector(random, 2)};
}

/// Rows of the block that hangs in tables 3.1 to 3.6 of paper 5, and as much in moments.
PlasticLaw block_law() {
  PlasticLaw law;
  law.stiffness.setConstant(80e3 / 1.5e-3);
  law.capacity.setConstant(80e3);
  return law;
}

/// Holds b and moves a along axis 0 in small steps.
void pull(const PlasticLaw& law, PlasticState& state, double from, double to, int steps) {
  for (int i = 1; i <= steps; ++i) yield(law, state, {Mat3::Identity(), (from + (to - from) * i / steps) * Vec3::UnitX()}, {});
}

/// Holds b and turns a about an axis in small steps.
void bend(const PlasticLaw& law, PlasticState& state, const Vec3& axis, double from, double to, int steps) {
  for (int i = 1; i <= steps; ++i) yield(law, state, {turned(from + (to - from) * i / steps, axis), Vec3::Zero()}, {});
}

/// Plastic offset and turns of all sizes.
PlasticState random_state(Random& random) {
  PlasticState state;
  state.bend = random_vector(random, 1.2);
  state.offset = random_vector(random, 0.2);
  return state;
}

/// A place of a that strains the joint by this much.
Transform strained(const PlasticState& state, const Transform& b, const Vec6& strain) {
  const Mat3 bend = turned_by(state.bend), half = turned_by(0.5 * strain.tail<3>());
  const Mat3 frame = b.rotation * bend * half;
  return {frame * half * bend, b.translation + frame * (strain.head<3>() + state.offset)};
}

Vec6 random_strain(Random& random, double size) {
  Vec6 strain;
  strain << random_vector(random, size), random_vector(random, size);
  return strain;
}

PlasticState swapped(PlasticState state) {
  state.bend = -state.bend;
  state.offset = -state.offset;
  state.force = -state.force;
  return state;
}

TEST(PlasticJoint, measures_what_it_is_strained_by_in_the_halfway_frame) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const PlasticState state = random_state(random);
    const Vec6 strain = random_strain(random, 0.5);
    const Transform b = random_place(random), a = strained(state, b, strain);
    const JointGeometry geometry = measure(state, a, b);
    EXPECT_LT((geometry.strain - strain).norm(), 1e-13);
    EXPECT_LT((geometry.frame.transpose() * geometry.frame - Mat3::Identity()).norm(), 1e-14);
    EXPECT_LT((geometry.at - 0.5 * (a.translation + b.translation)).norm(), 1e-15);
  }
}

TEST(PlasticJoint, swapped_parts_and_turned_worlds_measure_the_same) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const PlasticState state = random_state(random);
    const Transform b = random_place(random), a = strained(state, b, random_strain(random, 0.3)), world = random_place(random);
    const JointGeometry here = measure(state, a, b), other = measure(swapped(state), b, a), there = measure(state, world * a, world * b);
    EXPECT_LT((here.strain + other.strain).norm(), 1e-13);
    EXPECT_LT((here.frame - other.frame).norm(), 1e-13);
    EXPECT_LT((here.strain - there.strain).norm(), 1e-13);
    EXPECT_LT((world.rotation * here.frame - there.frame).norm(), 1e-13);
  }
}

/// Rate of the strain by central differences of the true motion.
Vec6 true_rate(const PlasticState& state, const Transform& a, const Transform& b, const Vec3& center_a, const Vec3& center_b, const Vec6& motion_a,
               const Vec6& motion_b) {
  constexpr double kDifference = 1e-6;
  const auto strain_at = [&](double time) {
    const auto carried = [&](const Transform& frame, const Vec3& center, const Vec6& motion) {
      const Mat3 turn = turned_by(motion.tail<3>() * time);
      return Transform{turn * frame.rotation, center + motion.head<3>() * time + turn * (frame.translation - center)};
    };
    return measure(state, carried(a, center_a, motion_a), carried(b, center_b, motion_b)).strain;
  };
  return (strain_at(kDifference) - strain_at(-kDifference)) / (2 * kDifference);
}

/// The largest error of the jacobians against the true rate, for bends of up to 2 rad and offsets of up to 0.2 m.
double jacobian_error(double elastic_strain) {
  Random random(3);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const PlasticState state = random_state(random);
    const Transform b = random_place(random), a = strained(state, b, random_strain(random, elastic_strain));
    const Vec3 center_a = a.translation + random_vector(random, 1), center_b = b.translation + random_vector(random, 1);
    const Vec6 motion_a = random_strain(random, 1), motion_b = random_strain(random, 1);
    Mat6 jacobian_a, jacobian_b;
    jacobians(measure(state, a, b), center_a, center_b, jacobian_a, jacobian_b);
    const Vec6 rate = jacobian_a * motion_a + jacobian_b * motion_b;
    worst = std::max(worst, (rate - true_rate(state, a, b, center_a, center_b, motion_a, motion_b)).norm());
  }
  return worst;
}

TEST(PlasticJoint, jacobians_are_the_rate_of_the_strain) {
  EXPECT_LT(jacobian_error(0), 1e-8);
  EXPECT_LT(jacobian_error(1e-3), 3e-4);  // the offset times the elastic turn
}

TEST(PlasticJoint, forces_through_the_jacobians_keep_momentum) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const PlasticState state = random_state(random);
    const Transform b = random_place(random), a = strained(state, b, random_strain(random, 0.3));
    const Vec3 center_a = random_vector(random, 2), center_b = random_vector(random, 2);
    Mat6 jacobian_a, jacobian_b;
    jacobians(measure(state, a, b), center_a, center_b, jacobian_a, jacobian_b);
    const Vec6 force = random_strain(random, 1), on_a = -jacobian_a.transpose() * force, on_b = -jacobian_b.transpose() * force;
    EXPECT_LT((on_a + on_b).head<3>().norm(), 1e-15);
    const Vec3 moment = on_a.tail<3>() + on_b.tail<3>() + center_a.cross(on_a.head<3>()) + center_b.cross(on_b.head<3>());
    EXPECT_LT(moment.norm(), 1e-14);
  }
}

TEST(PlasticJoint, keeps_exactly_the_strain_that_it_is_told_to_keep) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    PlasticState state = random_state(random);
    const Transform b = random_place(random), a = strained(state, b, random_strain(random, 0.4));
    const Vec3 bend = state.bend;
    const Vec6 kept = random_strain(random, 0.1);
    keep_strain(state, a, b, kept);
    EXPECT_LT((measure(state, a, b).strain - kept).norm(), 1e-13);
    EXPECT_LT((state.bend - bend).norm(), 1.2);  // no leap to the other root, half a turn away
  }
}

TEST(PlasticJoint, a_cycle_dissipates_the_area_of_its_loop) {
  const PlasticLaw law = block_law();
  PlasticState state;
  pull(law, state, 0, 5e-3, 100);
  EXPECT_NEAR(state.work, 280, 1e-6);  // 80 kN * (5 - 1.5) mm
  EXPECT_NEAR(state.offset.x(), 3.5e-3, 1e-12);
  EXPECT_NEAR(state.force[0], 80e3, 1e-6);
  EXPECT_NEAR(elastic_energy(law, state), 60, 1e-6);
  for (int cycle = 0; cycle < 3; ++cycle) {
    const double before = state.work;
    pull(law, state, 5e-3, -5e-3, 173);
    EXPECT_NEAR(state.offset.x(), -3.5e-3, 1e-12);
    EXPECT_NEAR(state.force[0], -80e3, 1e-6);
    pull(law, state, -5e-3, 5e-3, 41);
    EXPECT_NEAR(state.work - before, 1120, 1e-6);
    EXPECT_NEAR(state.offset.x(), 3.5e-3, 1e-12);
  }
  EXPECT_NEAR(state.elongation(), (280 + 3 * 1120) / 80e3, 1e-12);
  EXPECT_EQ(state.rotation(), 0);
}

TEST(PlasticJoint, load_reversal_is_elastic_and_starts_from_where_it_was) {
  const PlasticLaw law = block_law();
  PlasticState state;
  pull(law, state, 0, 5e-3, 10);
  const PlasticState bent = state;
  pull(law, state, 5e-3, 5e-3 - 2.9e-3, 10);  // just short of 2 * 1.5 mm
  EXPECT_EQ(state.work, bent.work);
  EXPECT_EQ(state.offset, bent.offset);
  EXPECT_NEAR(state.force[0], 80e3 - 2.9e-3 * law.stiffness[0], 1e-6);
  EXPECT_NEAR(state.utilisation, 1.4 / 1.5, 1e-9);
  EXPECT_EQ(state.peak_utilisation, 1);
}

TEST(PlasticJoint, a_small_strain_springs_back_and_leaves_nothing) {
  const PlasticLaw law = block_law();
  PlasticState state;
  pull(law, state, 0, 1.2e-3, 10);
  EXPECT_NEAR(state.utilisation, 0.8, 1e-12);
  EXPECT_NEAR(elastic_energy(law, state), 0.5 * law.stiffness[0] * 1.2e-3 * 1.2e-3, 1e-9);
  pull(law, state, 1.2e-3, 0, 10);
  EXPECT_EQ(state.work, 0);
  EXPECT_EQ(state.offset, Vec3(Vec3::Zero()));
  EXPECT_NEAR(state.force.norm(), 0, 1e-9);
  EXPECT_NEAR(state.peak_utilisation, 0.8, 1e-12);
  EXPECT_EQ(remaining_share(law, state), 1);
}

TEST(PlasticJoint, a_charpy_bend_has_its_angle_and_its_work) {
  PlasticLaw law;
  law.stiffness.setConstant(1e9);
  law.capacity.setConstant(64);
  PlasticState state;
  bend(law, state, Vec3::UnitZ(), 0, 1.9, 100);
  const double elastic = 64 / 1e9;
  EXPECT_NEAR(2 * state.bend.z(), 1.9 - elastic, 1e-12);
  EXPECT_NEAR(state.rotation(), 1.9 - elastic, 1e-12);
  EXPECT_NEAR(state.work, 64 * (1.9 - elastic), 1e-9);
  EXPECT_NEAR(state.force[5], 64, 1e-6);
}

TEST(PlasticJoint, bends_pass_half_a_turn_and_a_whole_one_without_a_jump) {
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 0.6, -0.8), Vec3(0.3, -0.5, 0.7)}) {
    PlasticLaw law;
    law.stiffness.setConstant(1e6);
    law.capacity.setConstant(50);
    law.interaction = Interaction::Ellipsoid;  // a sphere: any axis yields alike
    PlasticState state;
    const Vec3 along = axis.normalized();
    for (int i = 1; i <= 240; ++i) {
      const double angle = 9.0 * i / 240;
      bend(law, state, along, angle, angle, 1);
      const double plastic = std::max(0.0, angle - 50 / 1e6);
      EXPECT_NEAR(state.force.tail<3>().dot(along), 50, 1e-5) << angle;
      EXPECT_NEAR(state.work, 50 * plastic, 1e-7 * plastic);
      const Mat3 half = turned_by(state.bend);
      EXPECT_LT((half * half - turned(plastic, along)).norm(), 1e-9) << angle;
      const double told = plastic > 2 * std::numbers::pi ? plastic - 4 * std::numbers::pi : plastic;  // beyond a whole turn the root is nearer the other way
      EXPECT_LT((2 * state.bend - told * along).norm(), 1e-9) << angle;
    }
    bend(law, state, along, 9, 0, 240);
    EXPECT_NEAR(state.work, 50 * (18 - 3 * 50 / 1e6), 1e-4);
    EXPECT_LT(state.bend.norm(), 1e-4);
  }
}

TEST(PlasticJoint, a_bend_of_exactly_a_whole_turn_is_survived) {
  PlasticLaw law;
  law.stiffness.setConstant(1e12);
  law.capacity.setConstant(1e-3);
  PlasticState state;
  for (int i = 1; i <= 16; ++i) bend(law, state, Vec3::UnitX(), i * std::numbers::pi / 4, i * std::numbers::pi / 4, 1);
  EXPECT_NEAR(state.rotation(), 4 * std::numbers::pi, 1e-6);
  EXPECT_TRUE(state.bend.allFinite());
  EXPECT_LT(measure(state, {turned(4 * std::numbers::pi, Vec3::UnitX()), Vec3::Zero()}, {}).strain.norm(), 1e-6);
}

/// A crooked way, the same for all.
Transform wandering(double time) {
  return {turned_by(Vec3(0.9 * std::sin(2 * time), 0.7 * time, 0.8 * std::sin(time))),
          Vec3(0.1 * std::sin(3 * time), 0.05 * time, 0.08 * (1 - std::cos(time)))};
}

PlasticLaw crooked_law(Interaction interaction) {
  PlasticLaw law;
  law.stiffness << 4e7, 1e7, 1.2e7, 9e4, 3.3e4, 13e4;
  law.capacity << 40e3, 20e3, 23e3, 90, 100, 200;
  law.hardening = 0.001 * law.stiffness;
  law.interaction = interaction;
  return law;
}

TEST(PlasticJoint, turned_worlds_and_swapped_parts_yield_the_same) {
  Random random(6);
  for (const Interaction interaction : {Interaction::None, Interaction::Ellipsoid, Interaction::Beam}) {
    const PlasticLaw law = crooked_law(interaction);
    PlasticState here, there, other;
    const Transform world = random_place(random);
    for (int i = 1; i <= 200; ++i) {
      const Transform a = wandering(0.01 * i), b = {turned_by(Vec3(0.003 * i, 0, 0)), Vec3(0, 0, 0.0001 * i)};
      yield(law, here, a, b);
      yield(law, there, world * a, world * b);
      yield(law, other, b, a);
      const double size = 1 + here.force.norm();
      ASSERT_LT((here.force - there.force).norm(), 1e-6 * size);  // 1e-15 m of the place times the stiffness
      ASSERT_LT((here.force + other.force).norm(), 1e-6 * size);
      ASSERT_LT((here.bend - there.bend).norm() + (here.offset - there.offset).norm(), 1e-12);
      ASSERT_LT((here.bend + other.bend).norm() + (here.offset + other.offset).norm(), 1e-12);
    }
    EXPECT_NEAR(here.work, there.work, 1e-10 * here.work);
    EXPECT_NEAR(here.work, other.work, 1e-10 * here.work);
    EXPECT_GT(here.rotation(), 1);
  }
}

TEST(PlasticJoint, what_moves_it_does_as_much_work_as_it_books) {
  for (const Interaction interaction : {Interaction::None, Interaction::Ellipsoid, Interaction::Beam}) {
    const PlasticLaw law = crooked_law(interaction);
    PlasticState state;
    const Vec3 center(0.3, -0.2, 0.4);  // of a, in its own frame
    double done = 0;
    constexpr int kSteps = 20000;
    for (int i = 1; i <= kSteps; ++i) {
      const Transform before = wandering(2.0 * (i - 1) / kSteps), a = wandering(2.0 * i / kSteps);
      const Vec6 force = state.force;
      yield(law, state, a, {});
      Mat6 jacobian_a, jacobian_b;
      jacobians(measure(state, a, {}), a * center, Vec3::Zero(), jacobian_a, jacobian_b);
      Vec6 motion;
      const Eigen::AngleAxisd turn(Mat3(a.rotation * before.rotation.transpose()));
      motion << a * center - before * center, turn.angle() * turn.axis();
      done += 0.5 * (force + state.force).dot(jacobian_a * motion);
    }
    EXPECT_NEAR(done, elastic_energy(law, state) + state.work, 1e-3 * done);
  }
}

TEST(PlasticJoint, hardens_linearly_in_one_step_or_many) {
  PlasticLaw law = block_law();
  law.hardening.setConstant(0.05 * law.stiffness[0]);
  const double k = law.stiffness[0], h = law.hardening[0], flow = (k * 8e-3 - 80e3) / (k + h);
  for (const int steps : {1, 7, 400}) {
    PlasticState state;
    pull(law, state, 0, 8e-3, steps);
    EXPECT_NEAR(state.elongation(), flow, 1e-14);
    EXPECT_NEAR(state.force[0], 80e3 + h * flow, 1e-6);
    EXPECT_NEAR(state.work, (80e3 + 0.5 * h * flow) * flow, 1e-9);
    EXPECT_NEAR(capacity_now(law, state)[0], 80e3 + h * flow, 1e-6);
    EXPECT_EQ(capacity_now(law, state)[1], 80e3);
    // The other way it yields at what it has hardened to.
    pull(law, state, 8e-3, -8e-3, steps);
    EXPECT_LT(state.force[0], -(80e3 + h * flow));
  }
}

TEST(PlasticJoint, hardening_of_rows_that_yield_together_hardly_creeps_when_held_still) {
  PlasticLaw law = crooked_law(Interaction::Ellipsoid);
  law.hardening = 0.001 * law.stiffness;
  PlasticState state;
  for (int i = 1; i <= 50; ++i) yield(law, state, wandering(0.01 * i), {});
  const Vec6 flow = state.flow;
  for (int i = 0; i < 50; ++i) yield(law, state, wandering(0.5), {});
  EXPECT_LT((state.flow - flow).cwiseQuotient(flow).maxCoeff(), 1e-3);
  EXPECT_LT(utilisation(law, capacity_now(law, state), state.force), 1 + 1e-3);
}

TEST(PlasticJoint, breaks_when_its_elongation_is_used_up) {
  PlasticLaw law = block_law();
  law.ultimate_elongation = 2e-3;
  PlasticState state;
  EXPECT_FALSE(yield(law, state, {Mat3::Identity(), Vec3(3e-3, 0, 0)}, {}));
  EXPECT_NEAR(remaining_share(law, state), 0.25, 1e-12);
  EXPECT_EQ(state.broken, 0);
  EXPECT_TRUE(yield(law, state, {Mat3::Identity(), Vec3(3.5e-3, 0, 0)}, {}));  // at the limit to 1e-12
  EXPECT_EQ(state.broken, 1);
  EXPECT_EQ(state.force, Vec6(Vec6::Zero()));
  EXPECT_NEAR(state.work, 80e3 * 2e-3, 1e-9);
  EXPECT_EQ(remaining_share(law, state), 0);
  EXPECT_EQ(capacity_now(law, state), Vec6(Vec6::Zero()));
  const PlasticState gone = state;
  EXPECT_FALSE(yield(law, state, {Mat3::Identity(), Vec3(9e-3, 0, 0)}, {}));
  EXPECT_EQ(state.work, gone.work);
  EXPECT_EQ(state.force, Vec6(Vec6::Zero()));
}

TEST(PlasticJoint, breaks_when_its_rotation_is_used_up_to_and_fro) {
  PlasticLaw law = block_law();
  law.ultimate_rotation = 1;
  law.stiffness.tail<3>().setConstant(1e12);
  PlasticState state;
  bend(law, state, Vec3::UnitY(), 0, 0.4, 20);
  bend(law, state, Vec3::UnitY(), 0.4, -0.1, 20);
  EXPECT_EQ(state.broken, 0);
  EXPECT_NEAR(remaining_share(law, state), 0.1, 1e-6);
  bend(law, state, Vec3::UnitY(), -0.1, 0.1, 20);
  EXPECT_EQ(state.broken, 1);
}

TEST(PlasticJoint, a_brittle_joint_breaks_at_its_first_flow_and_not_before) {
  PlasticLaw law = block_law();
  law.ultimate_elongation = 0;
  PlasticState state;
  pull(law, state, 0, 1.49e-3, 10);
  EXPECT_EQ(state.broken, 0);
  EXPECT_EQ(remaining_share(law, state), 1);
  EXPECT_NEAR(state.force[0], 80e3 * 1.49 / 1.5, 1e-6);
  pull(law, state, 1.49e-3, 1.51e-3, 1);
  EXPECT_EQ(state.broken, 1);
}

TEST(PlasticJoint, a_lowered_capacity_dissipates_what_is_left_in_the_last_step) {
  PlasticLaw law = block_law();
  law.stiffness *= 1e6;
  law.ultimate_elongation = 1e-3;
  PlasticState state;
  pull(law, state, 0, 0.8e-3, 10);
  // 0.2 mm are left and the step would take 1 mm.
  EXPECT_TRUE(yield(law, state, {Mat3::Identity(), Vec3(1.8e-3, 0, 0)}, {}, 0.2));
  EXPECT_NEAR(state.work, 80e3 * 1e-3, 1e-3);
  EXPECT_NEAR(state.elongation(), 1e-3, 1e-8);  // it flows as long as it holds
  PlasticState nothing;
  yield(law, nothing, {Mat3::Identity(), Vec3(0.5e-3, 0, 0)}, {}, 0);
  EXPECT_EQ(nothing.work, 0);
  EXPECT_EQ(nothing.force, Vec6(Vec6::Zero()));
}

TEST(PlasticJoint, softens_to_nothing_at_its_limit) {
  PlasticLaw law = block_law();
  law.stiffness *= 1e6;
  law.ultimate_elongation = 4e-3;
  law.softening_from = 0.5;
  PlasticState state;
  pull(law, state, 0, 2e-3, 100);
  EXPECT_NEAR(capacity_now(law, state)[0], 80e3, 1e-6);
  pull(law, state, 2e-3, 3e-3, 10000);
  EXPECT_NEAR(capacity_now(law, state)[0], 40e3, 0.1);
  pull(law, state, 3e-3, 3.9999e-3, 10000);
  EXPECT_EQ(state.broken, 0);
  pull(law, state, 3.9999e-3, 4.0001e-3, 10);
  EXPECT_EQ(state.broken, 1);
  EXPECT_NEAR(state.work, 80e3 * 2e-3 + 0.5 * 80e3 * 2e-3, 0.02);
}

TEST(PlasticJoint, rows_without_limit_stay_elastic_while_others_soften) {
  PlasticLaw law = block_law();
  law.capacity.tail<3>().setConstant(PlasticLaw::kNever);
  law.ultimate_elongation = 4e-3;
  law.softening_from = 0;
  PlasticState state;
  pull(law, state, 0, 4e-3, 10);
  const Vec6 capacity = capacity_now(law, state);
  EXPECT_GT(capacity[0], 0);
  EXPECT_LT(capacity[0], 40e3);
  EXPECT_EQ(capacity[5], PlasticLaw::kNever);
}

TEST(PlasticJoint, a_free_row_turns_for_ever_and_remembers_nothing) {
  PlasticLaw law = block_law();
  law.stiffness[3] = 0;
  law.ultimate_rotation = 0.01;
  PlasticState state;
  bend(law, state, Vec3::UnitX(), 0, 30, 300);
  EXPECT_EQ(state.broken, 0);
  EXPECT_EQ(state.work, 0);
  EXPECT_EQ(state.rotation(), 0);
  EXPECT_LT(state.force.norm(), 1e-6);
  // The other rows still hold.
  yield(law, state, {turned(30, Vec3::UnitX()) * turned(1e-3, Vec3::UnitY()), Vec3::Zero()}, {});
  EXPECT_NEAR(state.force.norm(), 1e-3 * law.stiffness[4], 1);
}

TEST(PlasticJoint, a_restored_state_continues_bit_for_bit) {
  const PlasticLaw law = crooked_law(Interaction::Beam);
  using Stored = std::array<double, sizeof(PlasticState) / sizeof(double)>;
  static_assert(sizeof(PlasticState) % sizeof(double) == 0);
  const auto stored = [](const PlasticState& state) {
    Stored numbers;
    std::memcpy(numbers.data(), static_cast<const void*>(&state), sizeof(state));
    return numbers;
  };
  PlasticState state;
  for (int i = 1; i <= 60; ++i) yield(law, state, wandering(0.02 * i), {});
  PlasticState restored;
  const Stored saved = stored(state);
  std::memcpy(static_cast<void*>(&restored), saved.data(), sizeof(restored));
  for (int i = 61; i <= 120; ++i) {
    yield(law, state, wandering(0.02 * i), {});
    yield(law, restored, wandering(0.02 * i), {});
  }
  EXPECT_EQ(stored(state), stored(restored));
}

TEST(PlasticJoint, parts_are_moved_as_the_engine_moves_them) {
  Random random(8);
  for (int i = 0; i < 2000; ++i) {
    const Transform place = random_place(random);
    const double spin_size = i % 10 == 0 ? 0 : std::pow(10.0, random.range(-9, 3));  // beyond a quarter of pi in a step the engine turns less
    const Vec3 velocity = random_vector(random, 10), spin = random_vector(random, spin_size);
    const double dt = 1 / random.range(30, 1000);
    btTransform moved_by_engine;
    btTransformUtil::integrateTransform(to_bullet(place), to_bullet(velocity), to_bullet(spin), dt, moved_by_engine);
    const Transform expected = from_bullet(moved_by_engine), found = moved(place, velocity, spin, dt);
    ASSERT_LT((found.rotation - expected.rotation).norm(), 1e-14);
    ASSERT_EQ(found.translation, expected.translation);
  }
}

}  // namespace
}  // namespace crumple::rigid
