#include <algorithm>
#include <cmath>

#include "crumple/rigid/island_work.h"

namespace crumple::rigid {
namespace {

const Vec6 kNothing = Vec6::Zero();

const Vec6& of_body(std::span<const Vec6> values, int body) {
  return body >= 0 ? values[static_cast<size_t>(body)] : kNothing;
}

double dot(const IslandRow& row, const Vec6& a, const Vec6& b) {
  return row.jacobian_a.dot(a) + row.jacobian_b.dot(b);
}

void respond_alone(const IslandRow& row, RowWork& work) {
  const double trial = (row.target - work.change) * work.stiffness;
  work.impulse = std::clamp(trial, work.low, work.high);
  work.piece = trial > work.high ? 1 : trial < work.low ? -1 : 0;
  work.weight = work.piece == 0 ? work.stiffness : 0;
  work.secant = work.piece == 0 ? 0 : work.stiffness * std::clamp(work.impulse / trial, 0.0, 1.0);
}

void respond_disc(const IslandRow& row, const IslandRow& next, RowWork& first, RowWork& second) {
  const double t0 = (row.target - first.change) * first.stiffness, t1 = (next.target - second.change) * first.stiffness;
  const double size = std::hypot(t0, t1);
  const bool slides = size > first.high;
  const double keep = slides ? first.high / size : 1;
  first.impulse = keep * t0, second.impulse = keep * t1;
  first.piece = second.piece = slides ? 2 : 0;
  first.weight = second.weight = keep * first.stiffness;
  first.secant = slides ? keep * first.stiffness : 0;
  if (slides) first.along[0] = t0 / size, first.along[1] = t1 / size;
}

}  // namespace

Vec6 joint_rate(const IslandJoint& joint, std::span<const Vec6> velocities) {
  Vec6 rate = Vec6::Zero();
  if (joint.body_a >= 0) rate.noalias() += joint.jacobian_a * of_body(velocities, joint.body_a);
  if (joint.body_b >= 0) rate.noalias() += joint.jacobian_b * of_body(velocities, joint.body_b);
  return rate;
}

Vec6 times_mass(const IslandBody& body, const Vec6& velocity) {
  Vec6 result;
  result.head<3>() = body.mass * velocity.head<3>();
  result.tail<3>().noalias() = body.inertia * velocity.tail<3>();
  return result;
}

void measure(const Island& island, std::span<const Vec6> velocities, IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    double change = 0;
    if (row.body_a >= 0) change += row.jacobian_a.dot(of_body(velocities, row.body_a) - island.bodies[static_cast<size_t>(row.body_a)].free);
    if (row.body_b >= 0) change += row.jacobian_b.dot(of_body(velocities, row.body_b) - island.bodies[static_cast<size_t>(row.body_b)].free);
    work.rows[i].change = change;
  }
  for (size_t j = 0; j < island.joints.size(); ++j) {
    const IslandJoint& joint = island.joints[j];
    work.joints[j].strain = joint.strain + work.joints[j].reach * (joint_rate(joint, velocities) + joint.outer_rate);
  }
}

void respond_rows(const Island& island, IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) {
    RowWork& row = work.rows[i];
    if (row.role == RowRole::Alone) respond_alone(island.rows[i], row);
    if (row.role == RowRole::Disc) respond_disc(island.rows[i], island.rows[i + 1], row, work.rows[i + 1]);
  }
}

void respond_joints(const Island& island, IslandWork& work) {
  for (size_t j = 0; j < island.joints.size(); ++j) {
    const IslandJoint& joint = island.joints[j];
    work.responses[j] = respond(*joint.law, joint.capacity, work.joints[j].strain);
  }
}

void find_gradient(const Island& island, std::span<const Vec6> velocities, IslandWork& work) {
  for (size_t i = 0; i < island.bodies.size(); ++i) work.gradient[i] = times_mass(island.bodies[i], velocities[i] - island.bodies[i].free);
  for (size_t j = 0; j < island.joints.size(); ++j) {
    const IslandJoint& joint = island.joints[j];
    const Vec6 impulse = island.dt * work.responses[j].force;
    if (joint.body_a >= 0) work.gradient[static_cast<size_t>(joint.body_a)].noalias() += work.joints[j].from_a * impulse;
    if (joint.body_b >= 0) work.gradient[static_cast<size_t>(joint.body_b)].noalias() += work.joints[j].from_b * impulse;
  }
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    if (row.body_a >= 0) work.gradient[static_cast<size_t>(row.body_a)] -= work.rows[i].impulse * row.jacobian_a;
    if (row.body_b >= 0) work.gradient[static_cast<size_t>(row.body_b)] -= work.rows[i].impulse * row.jacobian_b;
  }
}

void find_slopes(const Island& island, IslandWork& work) {
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    work.rows[i].slope = dot(row, of_body(work.step, row.body_a), of_body(work.step, row.body_b));
  }
  for (size_t j = 0; j < island.joints.size(); ++j) work.joints[j].slope = work.joints[j].reach * joint_rate(island.joints[j], work.step);
}

}  // namespace crumple::rigid
