#include "crumple/rigid/island.h"

#include <gtest/gtest.h>

#include "tests/rigid/islands.h"

namespace crumple::rigid {
namespace {

using namespace testing;

constexpr double kIslandStep = 1.0 / 60;
const Vec3 kGravity(0, 0, -10);

IslandReport solve(Island& island, std::vector<Vec6>& velocities, const IslandSettings& settings = {}) {
  velocities = starts(island);
  return IslandSolver().solve(island, settings, velocities);
}

/// A body that hangs on the world at its centre.
Island hanging(double mass, const PlasticLaw& law) {
  Island island;
  island.dt = kIslandStep;
  island.bodies = {body(mass, mass, Vec3::Zero(), kGravity, kIslandStep)};
  island.joints = {joint(0, -1, Vec3::Zero(), {Vec3::Zero()}, law)};
  return island;
}

PlasticLaw law_of(double stiffness, double capacity) {
  PlasticLaw law;
  law.stiffness = Vec6::Constant(stiffness);
  law.capacity = Vec6::Constant(capacity);
  return law;
}

TEST(Island, a_stiff_joint_holds_a_block_from_the_first_step) {
  // paper 5, table 3.6: 6006.96 kg on a joint of 80 kN
  const PlasticLaw law = law_of(1e16, 80e3);
  Island island = hanging(6006.96, law);
  std::vector<Vec6> v;
  const IslandReport report = solve(island, v);
  EXPECT_NEAR(-island.joints[0].force[2] * kIslandStep, 1001.16, 1e-4);
  EXPECT_NEAR(v[0][2], 0, 1e-9);
  EXPECT_EQ(report.factors, 1);
}

TEST(Island, an_elastic_joint_comes_to_rest_where_it_carries_the_weight) {
  const PlasticLaw law = law_of(53.33e6, 80e3);
  Island island = hanging(6006.96, law);
  std::vector<Vec6> v;
  for (int i = 0; i < 300; ++i) {
    const IslandReport report = solve(island, v);
    EXPECT_LE(report.factors, 1);
    island.joints[0].strain += kIslandStep * island.joints[0].rate;
    island.bodies[0] = body(6006.96, 6006.96, v[0].head<3>(), kGravity, kIslandStep);
  }
  EXPECT_NEAR(island.joints[0].strain[2], -6006.96 * 10 / 53.33e6, 1e-9);
  EXPECT_NEAR(-island.joints[0].force[2] * kIslandStep, 1001.16, 1e-3);
}

TEST(Island, a_joint_yields_at_its_capacity) {
  const PlasticLaw law = law_of(1e9, 80e3);
  Island island = hanging(10e3, law);
  std::vector<Vec6> v;
  EXPECT_TRUE(solve(island, v).converged);
  EXPECT_NEAR(v[0][2], -kIslandStep * (100e3 - 80e3) / 10e3, 1e-13);
  EXPECT_DOUBLE_EQ(island.joints[0].force[2], -80e3);
}

TEST(Island, damping_slows_as_the_implicit_rule_says) {
  PlasticLaw law = law_of(2000, 1e9);
  law.damping = 0.03;
  Island island = hanging(7, law);
  island.joints[0].strain[2] = -0.02;
  std::vector<Vec6> v;
  solve(island, v);
  // m (v' - v) = -m g dt - dt k (strain + (dt + damping) v')
  const double expected = (-7 * 10 * kIslandStep + kIslandStep * 2000 * 0.02) / (7 + kIslandStep * 2000 * (kIslandStep + 0.03));
  EXPECT_NEAR(v[0][2], expected, 1e-14);
  EXPECT_NEAR(island.joints[0].force[2], 2000 * (-0.02 + (kIslandStep + 0.03) * expected), 1e-10);
  EXPECT_NEAR(island.joints[0].rate[2], expected, 1e-13);
}

TEST(Island, a_stiff_joint_takes_its_body_along_with_a_support_that_moves) {
  const PlasticLaw law = law_of(1e14, 1e9);
  Island island = hanging(3, law);
  island.joints[0].outer_rate << -0.5, 0, 0.25, 0, 0.1, 0;  // minus the support's own motion
  std::vector<Vec6> v;
  solve(island, v);
  EXPECT_LT((v[0] + island.joints[0].outer_rate).norm(), 1e-8);
}

TEST(Island, a_cantilever_in_balance_stays_and_its_joints_carry_what_hangs_beyond) {
  const int count = 64;
  const double mass = 14, length = 3.0 / count;
  PlasticLaw law = law_of(1e10, 1e9);
  law.stiffness.tail<3>().setConstant(2e9);
  Island island;
  island.dt = kIslandStep;
  std::vector<Vec3> centers;
  for (int i = 0; i < count; ++i) {
    centers.push_back({(i + 0.5) * length, 0, 0});
    island.bodies.push_back(body(mass, 0.1, Vec3::Zero(), kGravity, kIslandStep));
  }
  for (int i = 0; i < count; ++i) {
    island.joints.push_back(joint(i, i - 1, {i * length, 0, 0}, centers, law));
    const double beyond = (count - i) * mass * 10, arm = 0.5 * (count - i) * length;
    island.joints.back().strain[2] = -beyond / law.stiffness[2];
    island.joints.back().strain[4] = beyond * arm / law.stiffness[4];
  }
  for (IslandBody& part : island.bodies) part.start[2] = -1e-3;  // a wrong guess
  for (IslandBody& part : island.bodies) part.free[2] = -10 * kIslandStep;
  std::vector<Vec6> v;
  const IslandReport report = solve(island, v);
  EXPECT_EQ(report.factors, 1);
  EXPECT_EQ(report.solves, 1);
  EXPECT_LT(largest(v), 1e-10);
  for (int i = 0; i < count; ++i) {
    const double beyond = (count - i) * mass * 10;
    EXPECT_NEAR(island.joints[static_cast<size_t>(i)].force[2], -beyond, 1e-6 * beyond);
    EXPECT_NEAR(island.joints[static_cast<size_t>(i)].force[4], beyond * 0.5 * (count - i) * length, 1e-4);
  }
}

TEST(Island, a_contact_pushes_and_never_pulls) {
  for (const double speed : {-2.0, 2.0}) {
    Island island;
    island.dt = kIslandStep;
    island.bodies = {body(5, 1, {0, 0, speed}, Vec3::Zero(), kIslandStep)};
    const double softness = 1e-5 / 5;
    add_contact(island, 0, -1, Vec3::UnitZ(), Vec3::Zero(), {Vec3::Zero()}, softness, 0);
    std::vector<Vec6> v;
    solve(island, v);
    const double impulse = speed < 0 ? -speed / (softness + 1.0 / 5) : 0;
    EXPECT_NEAR(island.rows[0].impulse, impulse, 1e-9);
    EXPECT_NEAR(v[0][2], speed + impulse / 5, 1e-9);
  }
}

TEST(Island, a_row_keeps_to_its_limits) {
  // a motor that wants to stop a block of 5 kg at 2 m/s, but may give no more than 3 N s; and one that may
  for (const double limit : {3.0, 30.0}) {
    Island island;
    island.dt = kIslandStep;
    island.bodies = {body(5, 1, {2, 0, 0}, Vec3::Zero(), kIslandStep)};
    island.rows = {row(island, 0, -1, Vec3::UnitX(), Vec3::Zero(), {Vec3::Zero()}, 1e-9)};
    island.rows[0].low = -limit, island.rows[0].high = limit;
    std::vector<Vec6> v;
    solve(island, v);
    EXPECT_NEAR(v[0][0], limit < 10 ? 2 - 3.0 / 5 : 0, 1e-7);
  }
}

/// A block that slides over the ground at an angle; friction 0.4, contact pressed by gravity. Spin is held by a large inertia.
Vec3 slid(double speed, double angle, IslandReport* report = nullptr) {
  Island island;
  island.dt = kIslandStep;
  island.bodies = {body(5, 1e12, speed * Vec3(std::cos(angle), std::sin(angle), 0), kGravity, kIslandStep)};
  add_contact(island, 0, -1, Vec3::UnitZ(), {0, 0, -0.5}, {Vec3::Zero()}, 1e-7 / 5, 0.4);
  std::vector<Vec6> v;
  const IslandReport found = solve(island, v);
  if (report) *report = found;
  return v[0].head<3>();
}

TEST(Island, friction_stops_what_is_slow_and_brakes_what_is_fast) {
  EXPECT_LT(slid(0.99 * 0.4 * 10 * kIslandStep, 0.3).norm(), 1e-6);
  EXPECT_NEAR(slid(1.01 * 0.4 * 10 * kIslandStep, 0.3).norm(), 0.01 * 0.4 * 10 * kIslandStep, 1e-7);
  EXPECT_NEAR(slid(2, 0.3).norm(), 2 - 0.4 * 10 * kIslandStep, 1e-7);
}

TEST(Island, friction_is_the_same_in_all_directions) {
  for (double angle = 0; angle < 6.28; angle += 0.37) {
    const Vec3 v = slid(2, angle);
    EXPECT_NEAR(v.head<2>().norm(), 2 - 0.4 * 10 * kIslandStep, 1e-7);
    EXPECT_NEAR(std::atan2(v.y(), v.x()), std::remainder(angle, 2 * M_PI), 1e-9);
  }
}

TEST(Island, what_rests_takes_one_factor_with_friction_too) {
  Island island;
  island.dt = kIslandStep;
  const std::vector<Vec3> centers = {{0, 0, 0}, {0, 0, 1}};
  const PlasticLaw law = law_of(1e9, 1e9);
  island.bodies = {body(100, 10, Vec3::Zero(), kGravity, kIslandStep), body(5, 1, Vec3::Zero(), kGravity, kIslandStep)};
  island.joints = {joint(0, -1, Vec3::Zero(), centers, law)};
  for (const Vec3& at : {Vec3(0.3, 0.3, 0.5), Vec3(-0.3, 0.3, 0.5), Vec3(0.3, -0.3, 0.5), Vec3(-0.3, -0.3, 0.5)}) {
    add_contact(island, 1, 0, Vec3::UnitZ(), at, centers, 1e-5 / 5, 0.5);
    island.rows[island.rows.size() - 3].impulse = 5 * 10 * kIslandStep / 4;
  }
  std::vector<Vec6> v;
  const IslandReport report = solve(island, v);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.factors, 1);
  EXPECT_LT(v[1].norm(), 1e-4);
}

TEST(Island, extreme_ratios_stay_finite_and_converge) {
  // 1000 t fall on 1 kg on a joint of 1e12 N/m, which can carry that or not
  for (const double capacity : {1e9, 1e6}) {
    const std::vector<Vec3> centers = {{0, 0, 0}, {0, 0, 1}};
    Island island;
    island.dt = kIslandStep;
    island.bodies = {body(1, 0.1, Vec3::Zero(), kGravity, kIslandStep), body(1e6, 1e6, {0, 0, -5}, kGravity, kIslandStep)};
    const PlasticLaw law = law_of(1e12, capacity);
    island.joints = {joint(0, -1, Vec3::Zero(), centers, law)};
    add_contact(island, 1, 0, Vec3::UnitZ(), {0, 0, 0.5}, centers, 1e-11, 0.5);
    std::vector<Vec6> v;
    const IslandReport report = solve(island, v);
    EXPECT_TRUE(report.converged) << capacity;
    ASSERT_TRUE(v[0].allFinite() && v[1].allFinite());
    const double free = -5 - 10 * kIslandStep, held = free * 1e6 / (1e6 + 1e12 * kIslandStep * kIslandStep), yielding = free + kIslandStep * capacity / 1e6;
    EXPECT_NEAR(v[1][2], capacity > 1e8 ? held : yielding, 1e-4);
  }
}

TEST(Island, stops_at_its_budget_with_something_usable) {
  RandomIsland random(3, 1e4, Interaction::Ellipsoid);
  IslandSettings settings;
  settings.newton_steps = 1, settings.friction_solves = 1;
  std::vector<Vec6> v;
  const IslandReport report = solve(random.island, v, settings);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.factors, 1);
  for (const Vec6& one : v) EXPECT_TRUE(one.allFinite() && one.norm() < 100);
}

TEST(Island, numbers_that_are_none_end_without_convergence) {
  const PlasticLaw law = law_of(1e6, 1e3);
  Island island = hanging(1, law);
  island.joints[0].strain[1] = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec6> v;
  EXPECT_FALSE(solve(island, v).converged);
}

TEST(Island, nothing_to_solve_is_solved) {
  Island island;
  island.dt = kIslandStep;
  std::vector<Vec6> v;
  EXPECT_TRUE(solve(island, v).converged);
  island.bodies = {body(1, 1, {1, 2, 3}, kGravity, kIslandStep)};
  EXPECT_TRUE(solve(island, v).converged);
  EXPECT_LT((v[0] - island.bodies[0].free).norm(), 1e-14);
}

TEST(Island, the_answer_does_not_depend_on_what_was_solved_before) {
  IslandSolver used;
  for (unsigned seed = 1; seed < 8; ++seed) {
    RandomIsland first(seed, 100, Interaction::None), second(seed, 100, Interaction::None);
    std::vector<Vec6> v = starts(first.island), w = v;
    used.solve(first.island, {}, v);
    IslandSolver().solve(second.island, {}, w);
    for (size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], w[i]);
  }
}

}  // namespace
}  // namespace crumple::rigid
