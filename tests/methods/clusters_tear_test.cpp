#include <cmath>

#include <gtest/gtest.h>

#include "crumple/methods/clusters/stages.h"
#include "crumple/methods/clusters/topology.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
namespace {

Settings brittle() {
  Settings settings = one_cluster();
  settings.toughness = 0.1, settings.stretch = 10;
  return settings;
}

TEST(ClusterTear, the_crack_is_square_to_the_pull_in_any_rotated_world) {
  for (int turn = 0; turn < 5; ++turn) {
    const Model model = built(box_particles(Vec3(0.5, 0.4, 0.4), 0.05), brittle());
    State state = start(model);
    const Mat3 world = Eigen::AngleAxisd(1.1 * turn, Vec3(1, 0.3 * turn, -0.4).normalized()).toRotationMatrix();
    const Vec3 pull = Vec3(0.3, 0.8, -0.5).normalized();  // in rest space
    const Mat3 stretch = Mat3::Identity() + 0.25 * pull * pull.transpose();
    place(model, state, [&](const Vec3& p) { return Vec3(world * stretch * p); });
    Context now = weightless();
    now.dt = 1e-4;  // torn before it moves
    step(model, state, now);
    ASSERT_EQ(state.totals.splits, 1);
    ASSERT_EQ(state.planes.size(), model.planes.size() + 2);
    const CutPlane& cut = state.planes[model.planes.size()];
    // A stretch along an eigenvector keeps its normal, so rest and world agree up to the rotation.
    EXPECT_GT(std::abs(cut.normal.cast<double>().dot(pull)), 1 - 1e-4) << turn;
    // Both halves lie on their sides of the plane, in the world.
    const Vec3 normal = world * pull;
    double side[2] = {0, 0};
    for (int c = 0; c < 2; ++c) side[c] = (state.center[static_cast<size_t>(c)].cast<double>()).dot(normal);
    EXPECT_LT(side[0] * side[1], 0);
    EXPECT_GT(std::abs(side[0] - side[1]), 0.15);
  }
}

TEST(ClusterTear, the_normal_of_a_sheared_cluster_goes_to_rest_space_as_a_normal) {
  const Model model = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), brittle());
  State state = start(model);
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.5;
  place(model, state, [&](const Vec3& p) { return Vec3(shear * p); });
  Context now = weightless(1e-4);
  step(model, state, now);
  ASSERT_EQ(state.totals.splits, 1);
  // Members are divided by the world plane; the recorded rest plane must divide their rest places in the same way.
  int wrong = 0;
  for (const int c : {0, 1}) {
    const CutPlane& plane = state.planes[model.planes.size() + static_cast<size_t>(c)];
    ASSERT_EQ(plane.cluster, c);
    const Members members = members_of(state, c);
    for (int k = 0; k < members.count; ++k)
      wrong += plane.normal.dot(model.rest[static_cast<size_t>(members.particle[k])].head<3>()) > plane.offset + 1e-4f;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ClusterTear, splits_conserve_mass_exactly_and_momentum_and_centre_of_mass) {
  Settings settings;
  settings.clusters = 20, settings.radius = 0.15, settings.toughness = 0.01;
  const Model model = built(box_particles(Vec3(1, 0.2, 0.2), 0.04), settings);
  State state = start(model, Vec3(0.3, 0.2, -0.1));
  Random random(5);
  place(model, state, [](const Vec3& p) { return Vec3(1.2 * p.x(), p.y(), p.z()); });
  for (Vec4f& v : state.velocities) v.head<3>() += Vec3f(static_cast<float>(random.range(-1, 1)), 0, 0);
  Context now = weightless();
  Matched matched;
  find_goals(model, state, matched);
  refresh_places(model, state);
  const double mass = total_mass(model, state);
  const Vec3 center = center_of_mass(model, state), linear = linear_momentum(model, state), angular = angular_momentum(model, state);
  const double energy = kinetic_energy(model, state);
  tear(model, state, now);
  split_outliers(model, state);
  ASSERT_GT(now.splits, 5);
  ASSERT_GT(state.particles(), static_cast<int>(model.rest.size()));
  EXPECT_EQ(total_mass(model, state), mass);
  EXPECT_LT((center_of_mass(model, state) - center).norm(), 1e-12);
  EXPECT_LT((linear_momentum(model, state) - linear).norm(), 1e-12 * mass);
  EXPECT_LT((angular_momentum(model, state) - angular).norm(), 1e-12 * mass);
  EXPECT_NEAR(kinetic_energy(model, state), energy, 1e-12 * energy);
  ASSERT_TRUE(rebuilt(model, state)) << "memberships stay consistent";
}

TEST(ClusterTear, a_step_splits_no_more_than_its_budget_and_the_most_overloaded_first) {
  Settings settings;
  settings.clusters = 20, settings.radius = 0.15, settings.toughness = 0.01, settings.tears_per_step = 3;
  const Model model = built(box_particles(Vec3(1, 0.2, 0.2), 0.04), settings);
  State state = start(model);
  place(model, state, [](const Vec3& p) { return Vec3(p.x() + 0.3 * p.x() * std::abs(p.x()), p.y(), p.z()); });  // most at the ends
  Context now = weightless(1e-4);
  step(model, state, now);
  EXPECT_EQ(now.splits, 3);
  EXPECT_GT(now.waiting, 3);
  float least_torn = 1e9f, most_waiting = 0;
  for (size_t c = 0; c < 20; ++c)
    (state.waits[c] ? least_torn : most_waiting) =
        state.waits[c] ? std::min(least_torn, state.stretches[c][0]) : std::max(most_waiting, state.stretches[c][0]);
  EXPECT_GE(least_torn, most_waiting);
}

TEST(ClusterTear, toughness_is_boosted_by_a_split_and_falls_back) {
  Settings settings = brittle();
  settings.boost = 3, settings.falloff = 2;
  const Model model = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), settings);
  State state = start(model);
  EXPECT_NEAR(toughness_now(model, state, 0), 0.1, 1e-6);  // not boosted before the first
  state.since_tear[0] = 0;
  EXPECT_NEAR(toughness_now(model, state, 0), 0.1 * 4, 1e-6);
  state.since_tear[0] = 0.5f;
  EXPECT_NEAR(toughness_now(model, state, 0), 0.1 * (1 + 3 * std::exp(-1.0)), 1e-6);  // eq. 16
  settings.boosted_at_start = true;
  const Model boosted = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), settings);
  EXPECT_NEAR(toughness_now(boosted, start(boosted), 0), 0.1 * 4, 1e-6);
}

TEST(ClusterTear, a_cluster_that_was_torn_waits_until_it_was_below_its_toughness) {
  const Model model = built(box_particles(Vec3(0.5, 0.4, 0.4), 0.05), brittle());
  State state = start(model);
  const auto pull = [&](double a) {
    place(model, state, [&](const Vec3& p) { return Vec3(a * p.x(), p.y(), p.z()); });
    for (Vec4f& v : state.velocities) v.setZero();
    Context now = weightless(1e-4);
    step(model, state, now);
    return now.splits;
  };
  EXPECT_EQ(pull(1.3), 1);
  EXPECT_EQ(pull(1.3), 0);  // still over, but waiting
  EXPECT_EQ(pull(1.0), 0);  // below: armed again
  EXPECT_EQ(pull(1.3), 2);  // both halves
}

TEST(ClusterTear, culled_crumbs_are_counted_and_nothing_else_is_lost) {
  Settings settings;
  settings.clusters = 30, settings.radius = 0.1, settings.toughness = 1e-4, settings.delay = false, settings.crumbs = Crumbs::Cull,
  settings.tears_per_step = 1000;
  const Model model = built(box_particles(Vec3(0.4, 0.2, 0.2), 0.05), settings);
  State state = start(model);
  const double mass = total_mass(model, state);
  place(model, state, [](const Vec3& p) { return Vec3(1.3 * p.x(), p.y(), p.z()); });
  Context now = weightless();
  run(model, state, now, 20);
  EXPECT_GT(state.totals.culled_clusters, 0);
  EXPECT_NEAR(total_mass(model, state) + state.totals.culled_mass, mass, 1e-12 * mass);
  ASSERT_TRUE(rebuilt(model, state));
  for (const Vec4f& x : state.positions) ASSERT_TRUE(x.allFinite());
}

TEST(ClusterTear, debris_in_free_flight_gains_no_energy) {
  Settings settings;
  settings.clusters = 20, settings.radius = 0.15, settings.toughness = 0.02, settings.delay = false, settings.damping = 0.5;
  const Model model = built(box_particles(Vec3(0.8, 0.2, 0.2), 0.04), settings);
  State state = start(model);
  place(model, state, [](const Vec3& p) { return Vec3(1.25 * p.x(), p.y() + 0.2 * p.x() * p.x(), p.z()); });
  Context now = weightless();
  double most = 0;
  for (int k = 0; k < 60; ++k)
    run(model, state, now, 1), most = std::max(most, kinetic_energy(model, state));  // what was stretched has become motion
  ASSERT_GT(state.totals.splits, 5);
  ASSERT_GT(pieces(state).sizes.size(), 20u);
  for (int k = 0; k < 600; ++k) {
    run(model, state, now, 1);
    ASSERT_LT(kinetic_energy(model, state), most);
  }
}

TEST(ClusterTear, flat_and_thin_clusters_keep_their_shape) {
  Particles sheet = box_particles(Vec3(0.5, 0.5, 0.03), 0.03, 0.2);
  for (Vec3& p : sheet.positions) p.z() = 0;  // exactly flat
  Settings settings;
  settings.clusters = 8, settings.radius = 0.2, settings.damping = 5;
  const Model model = built(sheet, settings);
  State state = start(model, Vec3(0, 0, 1));
  for (const ClusterShape& shape : state.shapes) ASSERT_EQ(shape.rank, 2);
  Context now = weightless();
  run(model, state, now, 120);
  for (int i = 0; i < state.particles(); ++i) {
    const Vec3 rest = model.origin + model.rest[static_cast<size_t>(i)].head<3>().cast<double>();
    ASSERT_LT((position(model, state, i) - rest - Vec3(0, 0, 2)).norm(), 1e-4);
  }
}

}  // namespace
}  // namespace crumple::clusters
