#include <cmath>

#include <gtest/gtest.h>

#include "crumple/methods/clusters/stages.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
using namespace particles;
namespace {

TEST(ClusterCollide, a_rigid_ball_gets_exactly_the_momentum_that_particles_lose) {
  Settings settings;
  settings.clusters = 10;
  const Model model = built(box_particles(Vec3(0.6, 0.6, 0.1), 0.04), settings);
  State state = start(model, Vec3(0.1, 0, 0));
  Obstacle ball;
  ball.shape.kind = rigid::ObstacleShape::Kind::Ball, ball.shape.radius = 0.15;
  ball.place.translation = ball.center = Vec3(0.05, 0.02, 0.12), ball.velocity = Vec3(0.3, 0, -2), ball.spin = Vec3(0, 3, 0);
  ball.inverse_mass = 1 / 2.0, ball.inverse_inertia = Mat3::Identity() / (0.4 * 2 * 0.15 * 0.15), ball.friction = 0.5;
  const Vec3 linear = linear_momentum(model, state), angular = angular_momentum(model, state);
  const std::vector<Push> pushes = collide_obstacles(particles(model, state), std::span(&ball, 1));
  ASSERT_EQ(pushes.size(), 1u);
  ASSERT_GT(pushes[0].contacts, 10);
  EXPECT_GT(pushes[0].impulse.z(), 0.01);  // slowed down
  EXPECT_LT((linear_momentum(model, state) + pushes[0].impulse - linear).norm(), 1e-12);
  // Particles are put onto the surface, so that their own part of the angular momentum moves a little; what the ball gets is exact about the points
  // of contact.
  EXPECT_LT((angular_momentum(model, state) + pushes[0].twist + ball.center.cross(pushes[0].impulse) - angular).norm(), 1e-2);
}

TEST(ClusterCollide, a_ball_through_a_plate_is_slowed_and_momentum_balances) {
  Settings settings;
  settings.clusters = 30, settings.toughness = 0.05, settings.flow = 1, settings.yield = 0.01;
  const Model model = built(box_particles(Vec3(0.8, 0.8, 0.08), 0.04), settings);
  State state = start(model);
  Obstacle ball;
  ball.shape.kind = rigid::ObstacleShape::Kind::Ball, ball.shape.radius = 0.12, ball.center = Vec3(0, 0, 0.3), ball.velocity = Vec3(0, 0, -4),
  ball.inverse_mass = 1 / 1.5;
  ball.inverse_inertia = Mat3::Identity() / (0.4 * 1.5 * 0.12 * 0.12);
  const Vec3 before = ball.velocity / ball.inverse_mass + linear_momentum(model, state);
  Context now = weightless(1.0 / 240);
  for (int k = 0; k < 120; ++k) {
    ball.place.translation = ball.center;
    now.obstacles = std::span(&ball, 1);
    step(model, state, now);
    ball.velocity += ball.inverse_mass * now.pushes[0].impulse;
    ball.spin += ball.inverse_inertia * now.pushes[0].twist;
    ball.center += now.dt * ball.velocity;
  }
  EXPECT_GT(ball.velocity.z(), -3.8);
  EXPECT_LT(linear_momentum(model, state).z(), -0.1);
  EXPECT_LT((ball.velocity / ball.inverse_mass + linear_momentum(model, state) - before).norm(), 2e-4);
}

TEST(ClusterCollide, nothing_stays_inside_shapes_that_do_not_move) {
  Settings settings;
  settings.clusters = 8;
  const Model model = built(box_particles(Vec3(0.5, 0.5, 0.5), 0.05), settings);
  std::vector<Obstacle> parts(4);
  for (Obstacle& part : parts) part.place.rotation = Eigen::AngleAxisd(0.5, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  parts[0].shape.kind = rigid::ObstacleShape::Kind::Box, parts[0].shape.half = Vec3(0.1, 0.05, 0.2);
  parts[1].shape.kind = rigid::ObstacleShape::Kind::Cylinder, parts[1].shape.radius = 0.1, parts[1].shape.half = Vec3(0, 0.15, 0);
  parts[2].shape.kind = rigid::ObstacleShape::Kind::Hull;
  parts[2].shape.planes = {{1, 0, 0, 0.1}, {-1, 0, 0, 0.1}, {0, 1, 0, 0.1}, {0, -1, 0, 0.1}, {0, 0, 1, 0.1}, {0, 0, -1, 0.1}};
  parts[3].shape.kind = rigid::ObstacleShape::Kind::Field, parts[3].shape.radius = 0.3;
  parts[3].shape.distance = [](const Vec3& p, Vec3& normal) { return normal = p.normalized(), p.norm() - 0.2; };
  for (const Obstacle& part : parts) {
    State state = start(model);
    collide_obstacles(particles(model, state), std::span(&part, 1));
    for (int i = 0; i < state.particles(); ++i) {
      Vec3 normal;
      ASSERT_GT(signed_distance(part.shape, part.place.rotation.transpose() * position(model, state, i), normal), -1e-6);
      ASSERT_NEAR(normal.norm(), 1, 1e-9);
    }
  }
}

TEST(ClusterCollide, planes_that_contradict_each_other_do_not_hang) {
  const Model model = built(box_particles(Vec3(0.5, 0.5, 0.5), 0.05), Settings());
  State state = start(model);
  particles::Boundary loads;
  loads.planes.resize(2);
  loads.planes[0].offset = 0.1, loads.planes[1].normal = -Vec3::UnitY(), loads.planes[1].offset = 0.1;
  Context now;
  now.boundary = &loads;
  run(model, state, now, 5);
  for (const Vec4f& x : state.positions) ASSERT_TRUE(x.allFinite());
}

TEST(ClusterCollide, a_plane_stops_what_falls_and_lets_go_what_rises) {
  Settings settings;
  settings.clusters = 6;
  const Model model = built(box_particles(Vec3(0.3, 0.3, 0.3), 0.05), settings);
  State state = start(model);
  particles::Boundary loads;
  loads.planes.resize(1);
  loads.planes[0].offset = -0.4;
  Context now;
  now.boundary = &loads;
  run(model, state, now, 180);
  // The lowest of six layers carries all, on springs of (60 rad/s)^2: it gives way by 6 g / 3600.
  EXPECT_NEAR(center_of_mass(model, state).y(), -0.4 + 0.125 - 6 * 9.81 / 3600, 0.02);
  EXPECT_LT(linear_momentum(model, state).norm(), 1.05 * 9.81 / 60 * total_mass(model, state));  // of one step, which the next takes back
  for (Vec4f& v : state.velocities) v[1] = 1;
  run(model, state, now, 1);
  EXPECT_GT(linear_momentum(model, state).y() / total_mass(model, state), 1 - 0.2);
}

TEST(ClusterCollide, held_particles_turn_about_their_axis_at_a_constant_distance) {
  Settings settings;
  settings.clusters = 12, settings.radius = 0.16;
  const Model model = built(box_particles(Vec3(1, 0.2, 0.2), 0.04), settings);
  State state = start(model);
  particles::Boundary loads;
  loads.clamps = {twisting_clamp(Vec3::UnitX(), 0.42, 0.3, 5)};
  Context now = weightless();
  now.boundary = &loads;
  run(model, state, now, 299);
  int held = 0;
  const Mat3 turn = Eigen::AngleAxisd(0.3 * 299 / 60, Vec3::UnitX()).toRotationMatrix();
  for (size_t i = 0; i < state.held.size(); ++i) {
    if (state.held[i] < 0) continue;
    ++held;
    const Vec3 rest = model.origin + model.rest[i].head<3>().cast<double>();
    ASSERT_LT((position(model, state, static_cast<int>(i)) - turn * rest).norm(), 1e-4);
  }
  EXPECT_GT(held, 20);
  run(model, state, now, 2);  // past its end
  for (const int32_t clamp : state.held) ASSERT_EQ(clamp, -1);
}

TEST(ClusterCollide, two_halves_that_fly_together_stop_each_other_and_keep_momentum) {
  Settings settings;
  settings.clusters = 16, settings.radius = 0.14, settings.damping = 20, settings.flat = 0.9;
  Particles particles = box_particles(Vec3(0.3, 0.3, 0.3), 0.05);
  const size_t half = particles.positions.size();
  for (size_t i = 0; i < half; ++i) particles.positions.push_back(particles.positions[i] + Vec3(0.6, 0.02, 0));
  const Model model = built(particles, settings);
  State state = start(model);
  for (size_t i = 0; i < state.positions.size(); ++i) state.velocities[i][0] = i < half ? 1.0f : -1.0f;
  ASSERT_EQ(pieces(state).sizes.size(), 2u);
  const Vec3 linear = linear_momentum(model, state);
  const double energy = kinetic_energy(model, state), mass = total_mass(model, state);
  Context now = weightless();
  double left = -1, right = 1;
  run(model, state, now, 60);
  left = right = 0;
  for (size_t i = 0; i < state.positions.size(); ++i)
    (i < half ? left : right) += position(model, state, static_cast<int>(i)).x() / static_cast<double>(half);
  EXPECT_LT(left + 0.2, right) << "they went through each other";
  EXPECT_LT((linear_momentum(model, state) - linear).norm(), 1e-4 * mass);
  EXPECT_LT(kinetic_energy(model, state), energy);
}

}  // namespace
}  // namespace crumple::clusters
