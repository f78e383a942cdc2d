// The work of every impulse is booked: what a step does to the energy is the sum of its entries.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using namespace testing;

struct Books {
  double first = 0, last = 0;  // J, kinetic and potential
  double highest = 0;
  EnergyChange sum;
  double worst = 0;  // J that one step did not explain

  double unexplained() const { return std::abs(last - first - sum.sum()); }
};

double energy_of(const World& world) {
  double sum = 0;
  for (int part = 0; world.has_part(part); ++part) sum += world.kinetic_energy(part) + world.potential_energy(part);
  return sum;
}

Books booked(World& world, int steps, double dt = kStep) {
  Books books;
  books.first = books.last = books.highest = energy_of(world);
  Loads loads;
  for (int i = 0; i < steps; ++i) {
    world.step(dt, loads);
    const EnergyChange change = world.energy_change();
    const double now = energy_of(world);
    books.worst = std::max(books.worst, std::abs(now - books.last - change.sum()));
    books.last = now, books.highest = std::max(books.highest, now);
    EnergyChange& sum = books.sum;
    sum.contact += change.contact, sum.overlap += change.overlap, sum.friction += change.friction, sum.joints += change.joints;
    sum.scripted += change.scripted, sum.damping += change.damping, sum.integration += change.integration, sum.later += change.later;
  }
  return books;
}

PartSettings tumbling_box(const Vec3& at) {
  PartSettings box = dynamic_part(Box{Vec3(0.8, 0.3, 0.5)}, 500, at);
  box.state.velocity = Vec3(2, -1, 0.5), box.state.spin = Vec3(3, 5, -4);
  box.surface.angular_damping = 0.05, box.surface.linear_damping = 0.02;
  return box;
}

TEST(Energy, of_tumbling_boxes_that_hit_each_other_and_the_ground_is_all_explained) {
  for (const bool two_phase : {false, true}) {
    World world({.two_phase = two_phase});
    PartSettings ground = ground_part();
    ground.surface.restitution = 1, ground.surface.friction = 1;
    world.add_part(ground);
    for (int i = 0; i < 6; ++i) {
      PartSettings box = tumbling_box(Vec3(0.3 * i, 1 + 0.7 * i, 0.1 * i));
      box.surface.restitution = 0.15 * i;
      world.add_part(box);
    }
    const Books books = booked(world, 960);
    EXPECT_LT(books.unexplained(), 1e-8 * books.highest);
    EXPECT_LT(books.worst, 1e-8 * books.highest);
    EXPECT_LT(books.sum.contact, -0.1 * books.highest);
    EXPECT_LT(books.sum.friction, -0.05 * books.highest);
    EXPECT_LT(books.sum.damping, 0);
  }
}

TEST(Energy, a_bounce_takes_the_share_that_restitution_leaves_out) {
  World world({.gravity = Vec3::Zero(), .two_phase = true});
  PartSettings wall = ground_part(), ball = dynamic_part(Sphere{0.1}, 1000, Vec3(0, 0.5, 0));
  wall.surface.restitution = 1, ball.surface.restitution = 0.6, ball.state.velocity = Vec3(0, -3, 0);
  world.add_part(wall), world.add_part(ball);
  const Books books = booked(world, 120);
  EXPECT_NEAR(books.sum.contact, -(1 - 0.36) * books.first, 1e-9 * books.first);
  EXPECT_NEAR(books.last, 0.36 * books.first, 1e-9 * books.first);
}

TEST(Energy, friction_takes_its_force_times_the_way) {
  World world({});
  PartSettings ground = ground_part();
  ground.surface.friction = 1;
  world.add_part(ground);
  PartSettings box = dynamic_part(Box{Vec3(0.4, 0.2, 0.4)}, 500, Vec3(0, 0.1, 0));
  box.surface.friction = 0.3, box.state.velocity = Vec3(3, 0, 0);
  world.add_part(box);
  const Books books = booked(world, 480);
  EXPECT_NEAR(books.sum.friction, -0.5 * 16 * 9, 0.01 * 72);
  EXPECT_LT(books.unexplained(), 1e-9 * books.highest);
}

TEST(Energy, rolling_friction_counts_as_friction) {
  World world({});
  PartSettings ground = ground_part(), ball = dynamic_part(Sphere{0.2}, 500, Vec3(0, 0.2, 0));
  ground.surface.rolling_friction = 1, ball.surface.rolling_friction = 0.02;
  ball.state.velocity = Vec3(2, 0, 0), ball.state.spin = Vec3(0, 0, -10);
  world.add_part(ground), world.add_part(ball);
  const Books books = booked(world, 720);
  EXPECT_LT(books.sum.friction, -0.5 * (books.highest - books.last));
  EXPECT_LT(books.unexplained(), 1e-6 * books.highest);
}

TEST(Energy, a_free_top_changes_by_the_time_stepping_alone) {
  World world({.gravity = Vec3::Zero()});
  PartSettings top = dynamic_part(Box{Vec3(1, 0.2, 0.5)}, 500, Vec3::Zero());
  top.state.spin = Vec3(4, 1, 6);
  world.add_part(top);
  const Books books = booked(world, 960);
  EXPECT_EQ(books.sum.contact, 0);
  EXPECT_NEAR(books.last - books.first, books.sum.integration, 1e-9 * books.first);
  EXPECT_GT(std::abs(books.sum.integration), 1e-6 * books.first);
}

TEST(Energy, free_fall_errs_by_half_a_step_of_weight) {
  World world({});
  world.add_part(dynamic_part(Sphere{0.1}, 1000, Vec3(0, 10, 0)));
  const Books books = booked(world, 240);
  const double mass = 4.0 / 3 * M_PI, expected = -mass * 9.81 * 9.81 * kStep / 2;  // -m g^2 dt / 2 a second
  EXPECT_NEAR(books.sum.integration, expected, 1e-6 * std::abs(expected));
  EXPECT_LT(books.unexplained(), 1e-9 * books.highest);
}

TEST(Energy, joints_and_motors_are_booked) {
  World world({});
  const int lever = world.add_part(dynamic_part(Box{Vec3(1, 0.1, 0.1)}, 1000, Vec3(0.5, 2, 0)));
  const int link = world.add_part(dynamic_part(Box{Vec3(1, 0.1, 0.1)}, 1000, Vec3(1.5, 2, 0)));
  world.add_joint({.kind = JointKind::Hinge, .part_a = lever, .at = Vec3(0, 2, 0), .axis = Vec3::UnitZ(), .motor_speed = 2, .motor_strength = 300});
  world.add_joint({.kind = JointKind::Ball, .part_a = link, .part_b = lever, .at = Vec3(1, 2, 0)});
  const Books books = booked(world, 480);
  EXPECT_LT(books.unexplained(), 1e-9 * books.highest);
  EXPECT_GT(std::abs(books.sum.joints), 0.05 * books.highest);
}

TEST(Energy, of_an_elastic_plastic_joint_is_what_it_stores_and_what_it_dissipates) {
  World world({});
  const int bar = world.add_part(dynamic_part(Box{Vec3(2, 0.1, 0.1)}, 1000, Vec3(1, 2, 0)));
  JointSettings settings{.kind = JointKind::Plastic, .part_a = bar, .at = Vec3(0, 2, 0), .axis = Vec3::UnitX()};
  settings.plastic.emplace();
  settings.plastic->stiffness << 1e7, 1e7, 1e7, 1e5, 1e5, 1e5;
  settings.plastic->capacity << 1e5, 1e5, 1e5, 1e5, 1e5, 120;
  const int joint = world.add_joint(settings);
  const Books books = booked(world, 480, 1.0 / 960);
  EXPECT_LT(books.unexplained(), 1e-6 * books.highest);
  const PlasticState state = world.plastic_state(joint);
  EXPECT_GT(state.work, 20);
  EXPECT_NEAR(-books.sum.joints, state.work, 0.02 * state.work);
}

TEST(Energy, what_scripted_parts_put_in_is_their_work) {
  World world({});
  PartSettings ram = fixed_part(Box{Vec3(0.2, 1, 1)}, Vec3(-0.8, 0.5, 0));
  ram.motion = Motion::Scripted, ram.state.velocity = Vec3(1, 0, 0);
  world.add_part(ground_part());
  const int pusher = world.add_part(ram);
  world.set_velocity(pusher, Vec3(1, 0, 0), Vec3::Zero());
  world.add_part(dynamic_part(Box{Vec3(1, 1, 1)}, 500, Vec3(0, 0.5, 0)));
  const Books books = booked(world, 480);
  EXPECT_LT(books.unexplained(), 1e-9 * std::max(books.highest, books.sum.scripted));
  // It overcomes friction (coefficients are multiplied) over about 1.8 m, and makes up for what the first hit took.
  EXPECT_NEAR(books.sum.scripted + books.sum.friction + books.sum.contact, books.last - books.first, 0.01 * books.sum.scripted);
  EXPECT_GT(books.sum.scripted, 0.9 * 500 * 9.81 * 0.25 * 1.7);
}

TEST(Bounces, rebound_by_restitution_wherever_in_a_step_they_fall) {
  for (const double height : {0.4, 0.405, 0.41, 0.417, 0.423}) {
    for (const double restitution : {0.2, 0.5, 0.9}) {
      World world({.two_phase = true});
      PartSettings ground = ground_part(), ball = dynamic_part(Sphere{0.1}, 500, Vec3(0, height, 0));
      ground.surface.restitution = 1, ball.surface.restitution = restitution, ball.state.velocity = Vec3(0, -4, 0);
      world.add_part(ground);
      const int part = world.add_part(ball);
      Loads loads;
      double down = 0, up = 0;
      for (int i = 0; i < 60 && up <= 0; ++i) {
        down = -world.state(part).velocity.y();
        world.step(kStep, loads);
        up = world.state(part).velocity.y();
      }
      EXPECT_NEAR(up, restitution * down, 0.02 * down) << height << " " << restitution;
    }
  }
}

}  // namespace
}  // namespace crumple::rigid
