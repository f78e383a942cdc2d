#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "crumple/rigid/mesh_field.h"
#include "crumple/particles/search.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
using namespace particles;
namespace {

Obstacle ball_of(double mass, double radius, const Vec3& at, const Vec3& velocity) {
  Obstacle ball;
  ball.shape.kind = rigid::ObstacleShape::Kind::Ball, ball.shape.radius = radius;
  ball.place.translation = ball.center = at, ball.velocity = velocity;
  ball.inverse_mass = 1 / mass, ball.inverse_inertia = Mat3::Identity() / (0.4 * mass * radius * radius);
  return ball;
}

rigid::ObstacleShape box_shape(const Vec3& half) {
  rigid::ObstacleShape shape;
  shape.kind = rigid::ObstacleShape::Kind::Box, shape.half = half;
  return shape;
}

rigid::ObstacleShape mesh_shape(const TriMesh& mesh) {
  rigid::ObstacleShape shape;
  shape.kind = rigid::ObstacleShape::Kind::Mesh, shape.mesh = std::make_shared<const rigid::MeshField>(mesh);
  return shape;
}

Model plate() {
  Settings settings;
  settings.clusters = 10;
  return built(box_particles(Vec3(0.6, 0.6, 0.1), 0.04), settings);
}

/// A body that is hardly more than its particles.
Model crumbs(const std::vector<Vec3>& places) {
  Particles particles;
  particles.positions = places, particles.masses = {0.01};
  return built(particles, one_cluster());
}

/// All that is conserved, of particles and one rigid part.
struct Books {
  Vec3 linear, angular, center;
  double energy;
};
Books books_of(const Model& model, const State& state, const Obstacle& part) {
  const double mass = 1 / part.inverse_mass;
  const Mat3 inertia = part.inverse_inertia.inverse();
  return {linear_momentum(model, state) + mass * part.velocity,
          angular_momentum(model, state) + mass * part.center.cross(part.velocity) + inertia * part.spin,
          total_mass(model, state) * center_of_mass(model, state) + mass * part.center,
          kinetic_energy(model, state) + 0.5 * mass * part.velocity.squaredNorm() + 0.5 * part.spin.dot(inertia * part.spin)};
}
void apply(const Push& push, Obstacle& part) {
  part.velocity += part.inverse_mass * push.impulse, part.spin += part.inverse_inertia * push.twist;
  part.center += push.shift, part.place.translation += push.shift;
}

TEST(ClusterParts, what_yields_keeps_momentum_its_moment_and_the_common_centre_to_rounding) {
  const Model model = plate();
  for (const double mass : {0.002, 2.0, 2000.0}) {
    for (const double friction : {0.0, 0.6}) {
      State state = start(model, Vec3(3, 0.5, -1));
      Obstacle ball = ball_of(mass, 0.15, Vec3(0.05, 0.02, 0.15), Vec3(3.3, 0.2, -3));
      ball.spin = Vec3(4, 3, -9), ball.friction = friction, ball.yields = true;
      const Books before = books_of(model, state, ball);
      const std::vector<Push> pushes = collide_obstacles(particles(model, state), std::span(&ball, 1), 1.0 / 60);
      ASSERT_GT(pushes[0].contacts, 3);
      apply(pushes[0], ball);
      const Books after = books_of(model, state, ball);
      EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * before.linear.norm()) << mass;
      EXPECT_LT((after.angular - before.angular).norm(), 1e-12 * (1 + before.angular.norm())) << mass;
      EXPECT_LT((after.center - before.center).norm(), 1e-12 * (1 + before.center.norm())) << mass;
      EXPECT_LT(after.energy, before.energy) << mass;
    }
  }
}

TEST(ClusterParts, shapes_of_one_part_move_as_one) {
  const Model model = plate();
  Obstacle whole;
  whole.shape = box_shape(Vec3(0.2, 0.2, 0.05));
  whole.place.translation = whole.center = Vec3(0, 0, 0.08), whole.velocity = Vec3(0, 0, -3), whole.inverse_mass = 1 / 0.05;
  whole.inverse_inertia = Mat3::Identity() / 0.002, whole.friction = 0;
  State state = start(model);
  const Push push = collide_obstacles(particles(model, state), std::span(&whole, 1))[0];
  std::vector<Obstacle> halves(2, whole);
  for (int k = 0; k < 2; ++k) {
    halves[static_cast<size_t>(k)].shape.half[0] = 0.1, halves[static_cast<size_t>(k)].place.translation[0] = k == 0 ? -0.1 : 0.1;
    halves[static_cast<size_t>(k)].owner = 7;
  }
  State again = start(model);
  const std::vector<Push> both = collide_obstacles(particles(model, again), halves);
  // Lighter than what it hits: stopped once, not once by each half.
  const Vec3 impulse = both[0].impulse + both[1].impulse;
  EXPECT_NEAR(impulse.z(), push.impulse.z(), 0.1 * push.impulse.z());
  EXPECT_LE((whole.velocity + whole.inverse_mass * impulse).z(), 0.05 * 3);
  EXPECT_LT((linear_momentum(model, again) + impulse).norm(), 1e-12);
  for (Obstacle& half : halves) half.owner = -1;
  State apart = start(model);
  const std::vector<Push> twice = collide_obstacles(particles(model, apart), halves);
  EXPECT_GT((twice[0].impulse + twice[1].impulse).z(), 1.5 * impulse.z());
}

TEST(ClusterParts, distances_grow_as_fast_as_one_goes_out) {
  std::vector<rigid::ObstacleShape> shapes(3);
  shapes[0].kind = rigid::ObstacleShape::Kind::Capsule, shapes[0].radius = 0.2, shapes[0].half = Vec3(0, 0.3, 0);
  shapes[1] = mesh_shape(make_sphere(0.4)), shapes[2] = box_shape(Vec3(0.2, 0.3, 0.4));
  Random random(3);
  for (const rigid::ObstacleShape& shape : shapes) {
    for (int k = 0; k < 200; ++k) {
      const Vec3 point(random.range(-0.6, 0.6), random.range(-0.6, 0.6), random.range(-0.6, 0.6));
      Vec3 normal, ignored;
      const double here = signed_distance(shape, point, normal), step = 1e-6;
      ASSERT_NEAR(normal.norm(), 1, 1e-9);
      ASSERT_NEAR((signed_distance(shape, point + step * normal, ignored) - here) / step, 1, 1e-3);
    }
  }
  Vec3 normal;
  EXPECT_NEAR(signed_distance(shapes[0], Vec3(0, 0.6, 0), normal), 0.1, 1e-12);
  EXPECT_NEAR(signed_distance(shapes[0], Vec3(0.05, 0.1, 0), normal), -0.15, 1e-12);
}

TEST(ClusterParts, a_mesh_of_a_box_is_as_far_away_as_the_box) {
  const Vec3 half(0.2, 0.3, 0.4);
  const rigid::ObstacleShape box = box_shape(half), mesh = mesh_shape(make_box(2 * half));
  ASSERT_TRUE(mesh.mesh->is_closed());
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    const Vec3 point(random.range(-0.6, 0.6), random.range(-0.6, 0.6), random.range(-0.6, 0.6));
    Vec3 normal, other;
    ASSERT_NEAR(signed_distance(box, point, normal), signed_distance(mesh, point, other), 1e-9);
    ASSERT_GT(normal.dot(other), 1 - 1e-6);
  }
  Vec3 normal;
  EXPECT_EQ(signed_distance(mesh, Vec3(0, 0, 2), normal, 0.5), kForever);
}

TEST(ClusterParts, behind_an_open_sheet_is_inside_and_beside_it_is_not) {
  TriMesh sheet;
  sheet.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, sheet.triangles = {{0, 2, 1}, {0, 3, 2}};
  const rigid::ObstacleShape shape = mesh_shape(sheet);
  EXPECT_FALSE(shape.mesh->is_closed());
  Vec3 normal;
  EXPECT_NEAR(signed_distance(shape, Vec3(0.3, 0.1, 0.2), normal), 0.1, 1e-12);
  EXPECT_NEAR(signed_distance(shape, Vec3(0.3, -0.1, 0.2), normal), -0.1, 1e-12);
  EXPECT_NEAR(normal.y(), 1, 1e-12);
  EXPECT_GT(signed_distance(shape, Vec3(1.2, -0.1, 0), normal), 0);
}

TEST(ClusterParts, who_goes_through_something_thin_within_a_step_is_stopped_where_it_came_from) {
  TriMesh sheet;
  sheet.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, sheet.triangles = {{0, 2, 1}, {0, 3, 2}};
  rigid::ObstacleShape ball;
  ball.kind = rigid::ObstacleShape::Kind::Ball, ball.radius = 0.03;
  const double dt = 1.0 / 60;
  for (const rigid::ObstacleShape& shape : {box_shape(Vec3(1, 0.01, 1)), mesh_shape(make_box(Vec3(2, 0.02, 2))), mesh_shape(sheet), ball}) {
    const Model model = crumbs({{0, 1, 0}, {0.001, 1, 0}, {0, 1, 0.001}, {0.001, 1.001, 0}});
    State state = start(model, Vec3(0, -30, 0));
    for (Vec4f& x : state.positions) x[1] -= 1.2f;  // now at -0.2, half a metre below where they were a step ago
    Obstacle part;
    part.shape = shape, part.friction = 0;
    collide_obstacles(particles(model, state), std::span(&part, 1), dt);
    for (int i = 0; i < state.particles(); ++i) {
      EXPECT_GE(position(model, state, i).y(), -1e-3) << static_cast<int>(shape.kind);
      EXPECT_GT(state.velocities[static_cast<size_t>(i)][1], -2) << static_cast<int>(shape.kind);
    }
  }
}

TEST(ClusterParts, who_passes_under_a_sheet_is_left_alone) {
  TriMesh sheet;
  sheet.positions = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, sheet.triangles = {{0, 2, 1}, {0, 3, 2}};
  const Model model = crumbs({{0, -0.05, 0}, {0.01, -0.05, 0}, {0, -0.05, 0.01}, {0.01, -0.06, 0}});
  State state = start(model, Vec3(1, 0, 0));
  Obstacle part;
  part.shape = mesh_shape(sheet);
  EXPECT_EQ(collide_obstacles(particles(model, state), std::span(&part, 1), 1.0 / 60)[0].contacts, 0);
  EXPECT_LT(position(model, state, 0).y(), -0.04);
}

TEST(ClusterParts, what_sleeps_is_woken_by_hits_and_not_by_what_lies_on_it) {
  const Model model = plate();
  const double dt = 1.0 / 60;
  Obstacle ball = ball_of(5, 0.15, Vec3(0, 0, -0.18), Vec3::Zero());
  ball.asleep = true, ball.weight = 5 * dt * Vec3(0, 0, -9.81);
  State lying = start(model, Vec3(0, 0, -9.81 * dt));
  EXPECT_FALSE(collide_obstacles(particles(model, lying), std::span(&ball, 1), dt)[0].woken);
  State falling = start(model, Vec3(0, 0, -3));
  EXPECT_TRUE(collide_obstacles(particles(model, falling), std::span(&ball, 1), dt)[0].woken);
  State sideways = start(model, Vec3(0, 0, -0.001));
  ball.weight = 5 * dt * Vec3(-9.81, 0, 0);
  EXPECT_FALSE(collide_obstacles(particles(model, sideways), std::span(&ball, 1), dt)[0].woken);  // hardly touched
  State pushing = start(model, Vec3(0, 0, -3));
  EXPECT_TRUE(collide_obstacles(particles(model, pushing), std::span(&ball, 1), dt)[0].woken);
}

TEST(ClusterParts, what_is_held_stops_a_part_that_hits_it) {
  const Model model = plate();
  State state = start(model);
  std::fill(state.held.begin(), state.held.end(), 0);
  Obstacle ball = ball_of(2, 0.15, Vec3(0, 0, 0.15), Vec3(0, 0, -4));
  ball.yields = true;
  const Push push = collide_obstacles(particles(model, state), std::span(&ball, 1), 1.0 / 60)[0];
  apply(push, ball);
  EXPECT_GE(ball.velocity.z(), -0.05);  // contacts settle to a hundredth
  EXPECT_GT(push.shift.z(), 0);
  for (int i = 0; i < state.particles(); ++i) ASSERT_EQ(position(model, state, i), position(model, start(model), i));
}

TEST(ClusterParts, the_search_finds_who_is_in_a_box) {
  const Model model = built(box_particles(Vec3(0.9, 0.7, 0.5), 0.05), Settings());
  State state = start(model);
  ASSERT_GT(state.particles(), 1000);               // fewer are not sorted
  state.positions[5].head<3>() = Vec3f(300, 0, 0);  // a crumb
  const ParticleSpan span = particles(model, state);
  ParticleSearch search(span, 0);
  search.prepare(100);
  Random random(9);
  std::vector<int32_t> found, expected;
  for (int k = 0; k < 100; ++k) {
    Box3f box;
    box.low = Vec3f(float(random.range(-0.6, 0.4)), float(random.range(-0.6, 0.4)), float(random.range(-0.6, 0.4)));
    box.high = box.low + Vec3f::Constant(float(random.range(0, 0.5)));
    search.find(box, found);
    expected.clear();
    for (int32_t i = 0; i < state.particles(); ++i) {
      if (box.holds(state.positions[static_cast<size_t>(i)])) expected.push_back(i);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected);
  }
}

TEST(ClusterParts, a_restless_heap_of_parts_never_gains_energy) {
  const Model model = plate();
  for (const double mass : {0.001, 1.0, 1000.0}) {
    State state = start(model);
    std::vector<Obstacle> balls;
    for (int k = 0; k < 8; ++k) {
      balls.push_back(ball_of(mass, 0.1, Vec3(0.2 * std::cos(k), 0.2 * std::sin(k), 0.08), Vec3(0.3 * k, 0, -2)));
      balls.back().spin = Vec3(k, -k, 5), balls.back().friction = 0.8, balls.back().yields = true;
    }
    const auto energy = [&] {
      double sum = kinetic_energy(model, state);
      for (const Obstacle& ball : balls) sum += books_of(model, state, ball).energy - kinetic_energy(model, state);
      return sum;
    };
    double last = energy();
    for (int round = 0; round < 5; ++round) {
      const std::vector<Push> pushes = collide_obstacles(particles(model, state), balls);
      for (size_t k = 0; k < balls.size(); ++k) apply(pushes[k], balls[k]);
      const double now = energy();
      ASSERT_LE(now, last * (1 + 1e-9)) << mass;
      last = now;
    }
  }
}

}  // namespace
}  // namespace crumple::clusters
