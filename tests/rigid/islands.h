#pragma once

#include <cmath>
#include <random>

#include "crumple/rigid/island.h"

/// Small islands for tests, and what the solver minimises, written down once more and slowly.
namespace crumple::rigid::testing {

/// Velocity of the point `at` of a body around `center`, and its spin, along the axes of a frame.
inline Mat6 motion_at(const Mat3& frame, const Vec3& at, const Vec3& center) {
  Mat6 j = Mat6::Zero();
  j.topLeftCorner<3, 3>() = frame.transpose();
  j.topRightCorner<3, 3>() = -frame.transpose() * cross_matrix(at - center);
  j.bottomRightCorner<3, 3>() = frame.transpose();
  return j;
}

inline Vec6 row_at(const Vec3& direction, const Vec3& at, const Vec3& center) {
  Vec6 row;
  row << direction, (at - center).cross(direction);
  return row;
}

inline Vec6 six(double force, double moment) {
  Vec6 result;
  result << force, force, force, moment, moment, moment;
  return result;
}

inline IslandBody body(double mass, double inertia, const Vec3& velocity, const Vec3& gravity, double dt) {
  IslandBody result;
  result.mass = mass;
  result.inertia = inertia * Mat3::Identity();
  result.start.head<3>() = velocity;
  result.free = result.start;
  result.free.head<3>() += dt * gravity;
  return result;
}

inline IslandJoint joint(int a, int b, const Vec3& at, const std::vector<Vec3>& centers, const PlasticLaw& law,
                         const Mat3& frame = Mat3::Identity()) {
  IslandJoint result;
  result.body_a = a, result.body_b = b;
  if (a >= 0) result.jacobian_a = motion_at(frame, at, centers[static_cast<size_t>(a)]);
  if (b >= 0) result.jacobian_b = -motion_at(frame, at, centers[static_cast<size_t>(b)]);
  result.capacity = law.capacity;
  result.law = &law;
  return result;
}

/// A row that wants no relative speed along a direction, and pushes a that way.
inline IslandRow row(const Island& island, int a, int b, const Vec3& direction, const Vec3& at, const std::vector<Vec3>& centers, double softness) {
  IslandRow result;
  result.body_a = a, result.body_b = b;
  if (a >= 0) result.jacobian_a = row_at(direction, at, centers[static_cast<size_t>(a)]);
  if (b >= 0) result.jacobian_b = -row_at(direction, at, centers[static_cast<size_t>(b)]);
  if (a >= 0) result.target -= result.jacobian_a.dot(island.bodies[static_cast<size_t>(a)].free);
  if (b >= 0) result.target -= result.jacobian_b.dot(island.bodies[static_cast<size_t>(b)].free);
  result.softness = softness;
  result.low = -std::numeric_limits<double>::infinity(), result.high = std::numeric_limits<double>::infinity();
  return result;
}

/// A contact that pushes a along `normal`, and two rows of friction.
inline void add_contact(Island& island, int a, int b, const Vec3& normal, const Vec3& at, const std::vector<Vec3>& centers, double softness,
                        double friction) {
  IslandRow contact = row(island, a, b, normal, at, centers, softness);
  contact.low = 0;
  const int index = static_cast<int>(island.rows.size());
  island.rows.push_back(contact);
  const Vec3 first = normal.unitOrthogonal();
  for (const Vec3& direction : {first, Vec3(normal.cross(first))}) {
    IslandRow rubbing = row(island, a, b, direction, at, centers, softness);
    rubbing.normal = index, rubbing.friction = friction;
    island.rows.push_back(rubbing);
  }
}

inline std::vector<Vec6> starts(const Island& island) {
  std::vector<Vec6> result;
  for (const IslandBody& body : island.bodies) result.push_back(body.start);
  return result;
}

inline Vec6 times_inertia(const IslandBody& body, const Vec6& v) {
  Vec6 result;
  result << body.mass * v.head<3>(), body.inertia * v.tail<3>();
  return result;
}

inline double softness_of_disc(const IslandRow& a, const IslandRow& b) {
  return 0.5 * (a.softness + b.softness);
}

/// Impulses of rows at given velocities, with limits of friction by given normal impulses.
inline std::vector<double> row_impulses(const Island& island, const std::vector<Vec6>& v, const std::vector<double>& normals) {
  std::vector<double> result(island.rows.size());
  const auto gap = [&](const IslandRow& row) {
    double value = row.target;
    if (row.body_a >= 0) value -= row.jacobian_a.dot(v[static_cast<size_t>(row.body_a)] - island.bodies[static_cast<size_t>(row.body_a)].free);
    if (row.body_b >= 0) value -= row.jacobian_b.dot(v[static_cast<size_t>(row.body_b)] - island.bodies[static_cast<size_t>(row.body_b)].free);
    return value;
  };
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    if (row.normal < 0) {
      result[i] = std::min(std::max(gap(row) / row.softness, row.low), row.high);
      continue;
    }
    const IslandRow& next = island.rows[i + 1];
    const double softness = softness_of_disc(row, next), limit = row.friction * normals[static_cast<size_t>(row.normal)];
    const Eigen::Vector2d trial = Eigen::Vector2d(gap(row), gap(next)) / softness;
    const Eigen::Vector2d kept = trial.norm() > limit ? Eigen::Vector2d(trial * limit / trial.norm()) : trial;
    result[i] = kept[0], result[i + 1] = kept[1];
    ++i;
  }
  return result;
}

/// What must vanish: change of momentum minus all impulses.
inline std::vector<Vec6> imbalance(const Island& island, const std::vector<Vec6>& v, const std::vector<double>& impulses) {
  std::vector<Vec6> result;
  for (size_t i = 0; i < v.size(); ++i) result.push_back(times_inertia(island.bodies[i], v[i] - island.bodies[i].free));
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    if (row.body_a >= 0) result[static_cast<size_t>(row.body_a)] -= impulses[i] * row.jacobian_a;
    if (row.body_b >= 0) result[static_cast<size_t>(row.body_b)] -= impulses[i] * row.jacobian_b;
  }
  for (const IslandJoint& joint : island.joints) {
    Vec6 rate = joint.outer_rate;
    if (joint.body_a >= 0) rate += joint.jacobian_a * v[static_cast<size_t>(joint.body_a)];
    if (joint.body_b >= 0) rate += joint.jacobian_b * v[static_cast<size_t>(joint.body_b)];
    const Vec6 impulse = -island.dt * force_of(*joint.law, joint.capacity, joint.strain + (island.dt + joint.law->damping) * rate);
    if (joint.body_a >= 0) result[static_cast<size_t>(joint.body_a)] -= joint.jacobian_a.transpose() * impulse;
    if (joint.body_b >= 0) result[static_cast<size_t>(joint.body_b)] -= joint.jacobian_b.transpose() * impulse;
  }
  return result;
}

inline double largest(const std::vector<Vec6>& values) {
  double most = 0;
  for (const Vec6& value : values) most = std::max(most, value.cwiseAbs().maxCoeff());
  return most;
}

struct RandomNumbers {
  std::mt19937 engine;
  double value(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(engine); }
  int index(int end) { return std::uniform_int_distribution<int>(0, end - 1)(engine); }
  Vec3 vector() {
    const double x = value(), y = value(), z = value();
    return {x, y, z};
  }
  Mat3 frame() {
    const Vec3 axis = vector().normalized();
    return Eigen::AngleAxisd(value(-3, 3), axis).toRotationMatrix();
  }
};

/// Bodies scattered about, joined at random, some to the world, some in contact; about half of the joints yield.
struct RandomIsland {
  Island island;
  std::vector<Vec3> centers;
  std::vector<PlasticLaw> laws;

  RandomIsland(unsigned seed, double stiffness, Interaction interaction, bool to_world = true) {
    RandomNumbers random{std::mt19937(seed)};
    island.dt = 1.0 / 60;
    const int count = 2 + random.index(8);
    for (int i = 0; i < count; ++i) {
      centers.push_back(2 * random.vector());
      IslandBody part = body(random.value(1, 3), 1, random.vector(), {0, 0, -10}, island.dt);
      const Mat3 axes = random.frame();
      part.inertia = axes * Vec3(random.value(0.3, 1), random.value(0.3, 1), random.value(0.3, 1)).asDiagonal() * axes.transpose();
      part.start.tail<3>() = random.vector();
      part.free.tail<3>() = part.start.tail<3>() + 0.1 * random.vector();
      island.bodies.push_back(part);
    }
    laws.resize(static_cast<size_t>(2 * count));
    for (PlasticLaw& law : laws) add_joint(random, law, stiffness, interaction, count, to_world);
    for (int i = 0; i < count; ++i) {
      const int a = random.index(count), b = to_world && i % 2 ? -1 : (a + 1) % count;
      add_contact(island, a, b, random.vector().normalized(), centers[static_cast<size_t>(a)] + 0.5 * random.vector(), centers, 1 / stiffness, 0.6);
    }
    for (IslandRow& row : island.rows) row.impulse = row.normal < 0 ? random.value(0, 1) : 0;
  }

 private:
  void add_joint(RandomNumbers& random, PlasticLaw& law, double stiffness, Interaction interaction, int count, bool to_world) {
    for (int i = 0; i < 6; ++i) law.stiffness[i] = stiffness * 3600 * random.value(0.5, 1.5);
    for (int i = 0; i < 6; ++i) law.capacity[i] = random.value(10, 100);
    law.interaction = interaction;
    law.damping = random.index(2) ? 0.01 : 0;
    law.hardening = Vec6::Constant(random.index(2) ? 10 : 0);
    const int a = random.index(count), b = to_world && random.index(4) == 0 ? -1 : (a + 1 + random.index(count - 1)) % count;
    IslandJoint made = joint(a, b, random.vector(), centers, law, random.frame());
    for (int i = 0; i < 6; ++i) made.strain[i] = random.value() * law.capacity[i] / law.stiffness[i];
    if (b < 0) made.outer_rate = six(0.1 * random.value(), 0.1 * random.value());
    island.joints.push_back(made);
  }
};

}  // namespace crumple::rigid::testing
