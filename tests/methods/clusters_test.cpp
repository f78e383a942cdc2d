#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
using namespace particles;
namespace {

Settings soft_bar() {
  Settings settings;
  settings.clusters = 12, settings.radius = 0.16, settings.stiffness = 0.8, settings.damping = 5;
  return settings;
}

Particles bar() {
  return box_particles(Vec3(1, 0.2, 0.2), 0.04);
}

double greatest_distance(const Model& model, const State& state, const std::function<Vec3(const Vec3&)>& map) {
  double most = 0;
  for (int i = 0; i < state.particles(); ++i) {
    const Vec3 rest = model.origin + model.rest[static_cast<size_t>(state.original[static_cast<size_t>(i)])].head<3>().cast<double>();
    most = std::max(most, (position(model, state, i) - map(rest)).norm());
  }
  return most;
}

TEST(Clusters, rest_stays_at_rest) {
  Particles far = bar();
  for (Vec3& p : far.positions) p += Vec3(300, -40, 7);  // single precision is relative to the body, not to the world
  const Model model = built(far, soft_bar());
  State state = start(model);
  Context now = weightless();
  run(model, state, now, 600);
  EXPECT_LT(greatest_distance(model, state, [](const Vec3& p) { return p; }), 1e-4);
  EXPECT_LT(kinetic_energy(model, state), 1e-9);
}

TEST(Clusters, rigid_motion_does_nothing) {
  const Model model = built(bar(), soft_bar());
  State state = start(model);
  const Vec3 velocity(0.5, -0.2, 0.1), spin(0.3, 0.06, -0.14);
  const Mat3 turned = Eigen::AngleAxisd(0.9, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  place(model, state, [&](const Vec3& p) { return Vec3(turned * p); });
  for (size_t i = 0; i < state.positions.size(); ++i) {
    state.velocities[i].head<3>() = (velocity + spin.cross(state.positions[i].head<3>().cast<double>())).cast<float>();
  }
  const Vec3 expected = center_of_mass(model, state) + linear_momentum(model, state) / total_mass(model, state);
  Context now = weightless(1.0 / 240);
  run(model, state, now, 240);
  // Spinning pulls it apart by a hair, as it should; every stretch stays 1.
  for (const Vec3f& stretch : state.stretches) {
    EXPECT_NEAR(stretch[0], 1, 1e-3);
    EXPECT_NEAR(stretch[2], 1, 1e-3);
  }
  EXPECT_EQ(state.totals.splits, 0);
  EXPECT_LT((center_of_mass(model, state) - expected).norm(), 1e-4);
}

TEST(Clusters, momentum_and_angular_momentum_are_kept_while_it_wobbles) {
  Settings settings = soft_bar();
  settings.stretch = 0.05, settings.self_collision = false;  // strain limiting works hard
  const Model model = built(bar(), settings);
  State state = start(model, Vec3(0.3, 0.1, 0));
  Random random(3);
  place(model, state, [&](const Vec3& p) { return Vec3(1.4 * p.x(), 0.8 * p.y() + 0.3 * p.x() * p.x(), p.z() + random.range(-0.02, 0.02)); });
  for (Vec4f& v : state.velocities) v.head<3>() += Vec3f(0, 0, static_cast<float>(random.range(-1, 1)));
  const Vec3 linear = linear_momentum(model, state), angular = angular_momentum(model, state);
  const double mass = total_mass(model, state);
  Context now = weightless();
  run(model, state, now, 120);
  EXPECT_LT((linear_momentum(model, state) - linear).norm(), 1e-4 * mass);
  EXPECT_LT((angular_momentum(model, state) - angular).norm(), 1e-4 * mass);
}

TEST(Clusters, the_authors_shortcuts_lose_the_momentum_that_ours_keeps) {
  Settings settings = soft_bar();
  settings.stretch = 0.05, settings.published = true;
  const Model model = built(bar(), settings);
  State state = start(model);
  place(model, state, [&](const Vec3& p) { return Vec3(1.4 * p.x(), 0.8 * p.y() + 0.3 * p.x() * p.x(), p.z()); });
  Context now = weightless();
  run(model, state, now, 20);
  EXPECT_GT(linear_momentum(model, state).norm() + angular_momentum(model, state).norm(), 1e-3 * total_mass(model, state));
}

TEST(Clusters, below_yield_it_comes_back) {
  Settings settings = soft_bar();
  settings.yield = 0.5, settings.flow = 1, settings.damping = 30, settings.stretch = 1;
  const Model model = built(bar(), settings);
  State state = start(model);
  place(model, state, [](const Vec3& p) { return Vec3(1.1 * p.x(), p.y(), p.z()); });
  Context now = weightless();
  run(model, state, now, 900);
  EXPECT_LT(greatest_distance(model, state, [](const Vec3& p) { return p; }), 2e-3);
}

TEST(Clusters, above_yield_one_cluster_keeps_what_the_closed_form_says) {
  Settings settings = one_cluster();
  settings.yield = 0.05, settings.flow = 1, settings.stiffness = 0.5, settings.damping = 60, settings.stretch = 10;
  const Model model = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), settings);
  State state = start(model);
  // Stretched to a, 1/sqrt(a), 1/sqrt(a): no change of volume, so s* = s.
  const double a = 1.3, b = 1 / std::sqrt(a);
  place(model, state, [&](const Vec3& p) { return Vec3(a * p.x(), b * p.y(), b * p.z()); });
  Context now = weightless();
  step(model, state, now);
  const double norm = std::sqrt((a - 1) * (a - 1) + 2 * (b - 1) * (b - 1)), gamma = (norm - 0.05) / norm;  // eqs. 11, 13
  EXPECT_NEAR(state.plastic[0](0, 0), std::pow(a, gamma), 1e-4);
  EXPECT_NEAR(state.plastic[0](1, 1), std::pow(b, gamma), 1e-4);
  EXPECT_NEAR(state.plastic[0].determinant(), 1, 1e-5);
  run(model, state, now, 600);
  const double kept = state.plastic[0](0, 0);
  EXPECT_LT(greatest_distance(model, state, [&](const Vec3& p) { return Vec3(kept * p.x(), p.y() / std::sqrt(kept), p.z() / std::sqrt(kept)); }),
            1e-3);
  EXPECT_GT(kept, 1.15);
}

TEST(Clusters, it_tears_in_the_middle_where_it_is_pulled) {
  Settings settings;
  settings.clusters = 16, settings.radius = 0.14, settings.toughness = 0.06, settings.damping = 20, settings.held_toughness = 10;
  Particles particles = bar();
  particles.toughness.assign(particles.positions.size(), 1.0f);
  for (size_t i = 0; i < particles.positions.size(); ++i)
    particles.toughness[i] = std::abs(particles.positions[i].x()) < 0.08 ? 0.5f : 2.0f;  // painted weak in the middle
  const Model model = built(particles, settings);
  State state = start(model);
  particles::Boundary loads;
  loads.clamps = {moving_clamp(Vec3::UnitX(), 0.42, 0.1), moving_clamp(-Vec3::UnitX(), 0.42, 0.1)};
  for (Clamp& clamp : loads.clamps) clamp.blocks = false;
  ASSERT_TRUE(check_boundary(starts(model), loads));
  Context now = weightless();
  now.boundary = &loads;
  run(model, state, now, 240);
  ASSERT_GT(state.totals.splits, 0);
  const Pieces found = pieces(state);
  ASSERT_GE(found.sizes.size(), 2u);
  // Two pieces with most of the particles; no particle of the left end hangs together with the right end.
  EXPECT_GT(found.sizes[0] + found.sizes[1], 0.85 * state.particles());
  int left = -1, right = -1;
  for (size_t i = 0; i < state.original.size(); ++i) {
    const float x = model.rest[static_cast<size_t>(state.original[i])][0];
    if (x < -0.45f) left = found.of_particle[i];
    if (x > 0.45f) right = found.of_particle[i];
  }
  EXPECT_NE(left, right);
  EXPECT_EQ(state.totals.culled_particles, 0);
}

uint64_t fingerprint(State& state) {
  uint64_t hash = 1469598103934665603ull;
  for (const StateArray& array : arrays(state)) {
    for (const std::byte byte : array.data) hash = (hash ^ static_cast<uint64_t>(byte)) * 1099511628211ull;
  }
  return hash;
}

/// A scene in which everything happens: clamps, flow, tears, self-collision, a floor and a ball.
struct Everything {
  Model model;
  particles::Boundary loads;
  Everything() {
    Settings settings = soft_bar();
    settings.toughness = 0.05, settings.flow = 0.5, settings.yield = 0.01, settings.hardening = 0.1;
    model = built(bar(), settings);
    loads.clamps = {twisting_clamp(Vec3::UnitX(), 0.42, 2, 0.8), twisting_clamp(-Vec3::UnitX(), 0.42, 2, 0.8)};
    PlaneObstacle floor;
    floor.offset = -0.3;
    loads.planes = {floor};
    BallObstacle ball;
    ball.center = Vec3(0, 1, 0), ball.velocity = Vec3(0, -1.5, 0), ball.radius = 0.1;
    loads.balls = {ball};
  }
  void run_some(State& state, int steps) const {
    Context now;
    now.boundary = &loads;
    run(model, state, now, steps);
  }
};

TEST(Clusters, one_and_many_threads_give_the_same_bits) {
  const Everything all;
  const int before = thread_count();
  uint64_t first = 0;
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    State state = start(all.model);
    all.run_some(state, 100);
    EXPECT_GT(state.totals.splits, 0);
    if (threads == 1) first = fingerprint(state);
    EXPECT_EQ(fingerprint(state), first) << threads << " threads";
  }
  set_thread_count(before);
}

TEST(Clusters, a_restored_state_goes_on_with_the_same_bits) {
  const Everything all;
  State state = start(all.model);
  all.run_some(state, 60);
  ASSERT_GT(state.totals.splits, 0);
  State other = start(all.model);
  resize(all.model, other, sizes(state));
  const auto from = arrays(state), to = arrays(other);
  ASSERT_EQ(from.size(), to.size());
  for (size_t k = 0; k < from.size(); ++k) {
    ASSERT_EQ(from[k].data.size(), to[k].data.size()) << from[k].name;
    EXPECT_TRUE(from[k].all_finite(from[k].data)) << from[k].name;
    std::memcpy(to[k].data.data(), from[k].data.data(), from[k].data.size());
  }
  ASSERT_TRUE(rebuilt(all.model, other));
  all.run_some(state, 40);
  all.run_some(other, 40);
  EXPECT_EQ(fingerprint(state), fingerprint(other));
}

TEST(Clusters, a_saved_state_that_makes_no_sense_is_refused) {
  const Everything all;
  State state = start(all.model);
  const State good = state;
  state.slot_particle[3] = 1 << 30;
  EXPECT_FALSE(rebuilt(all.model, state));
  state = good;
  state.entry_count[5] = -1;
  EXPECT_FALSE(rebuilt(all.model, state));
  state = good;
  state.slot_begin[1] = state.slot_begin[0];
  EXPECT_FALSE(rebuilt(all.model, state));
  state = good;
  EXPECT_TRUE(rebuilt(all.model, state));
}

TEST(Clusters, a_swing_has_the_same_period_and_damping_at_other_steps) {
  // One cluster is stretched and let go: its particles swing about their goals with sqrt(alpha) * 60 rad/s and lose what damping takes.
  Settings settings = one_cluster();
  settings.stiffness = 0.01, settings.damping = 2, settings.stretch = 10;
  const Model model = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), settings);
  std::vector<double> ends;
  for (const double dt : {1.0 / 120, 1.0 / 960}) {
    State state = start(model);
    place(model, state, [](const Vec3& p) { return Vec3(1.1 * p.x(), p.y(), p.z()); });
    Context now = weightless(dt);
    run(model, state, now, static_cast<int>(std::lround(0.6 / dt)));
    ends.push_back(state.stretches[0][0] - 1);
    const double omega = std::sqrt(36.0 - 1), t = 0.6;
    EXPECT_NEAR(std::max(ends.back(), 0.0), std::max(0.1 * std::exp(-t) * (std::cos(omega * t) + std::sin(omega * t) / omega), 0.0), 6e-3) << dt;
  }
}

TEST(Clusters, hardening_counts_seconds_not_steps) {
  Settings settings = one_cluster();
  settings.flow = 1e-9, settings.hardening = 1, settings.yield = 0, settings.stiffness = 0, settings.stretch = 10;
  const Model model = built(box_particles(Vec3(0.4, 0.4, 0.4), 0.05), settings);
  for (const double dt : {1.0 / 60, 1.0 / 240}) {
    State state = start(model);
    place(model, state, [](const Vec3& p) { return Vec3(1.2 * p.x(), p.y(), p.z()); });
    Context now = weightless(dt);
    run(model, state, now, static_cast<int>(std::lround(0.5 / dt)));
    EXPECT_NEAR(state.strain[0], 0.5 * 0.2, 1e-3) << dt;  // eq. 14
  }
}

}  // namespace
}  // namespace crumple::clusters
