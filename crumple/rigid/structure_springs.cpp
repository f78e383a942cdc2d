#include <cmath>

#include <Eigen/LU>

#include "crumple/rigid/spring.h"
#include "crumple/rigid/structure_solver.h"

// Joints whose springs move as the analytic solution says, and joints that resist turning in proportion to its speed.

namespace crumple::rigid {
namespace {

// An analytic step is taken as long as a spring keeps this share of its speed as displacement; beyond, half a swing fits into a step.
constexpr double kMinReach = 0.2;
// Of the predicted speed: what was found must be as near for the analytic speed at the end to hold.
constexpr double kAsPredicted = 0.02;

bool is_spring(const PlasticLaw& law, int row) {
  return law.stiffness[row] > 0 && (row >= 3 || (row == 0 && std::isfinite(law.capacity[0])));
}

/// Inertia that a joint's rows move, each with the other rows free but for those that hold the parts together: the pin of a hinge counts.
Vec6 moved_inertia(const IslandJoint& joint, std::span<const IslandBody> bodies) {
  Mat6 inverse = Mat6::Zero();
  const auto add = [&](int index, const Mat6& jacobian) {
    if (index < 0) return;
    const IslandBody& body = bodies[static_cast<size_t>(index)];
    Mat6 mass = Mat6::Zero();
    mass.topLeftCorner<3, 3>().diagonal().setConstant(1 / body.mass);
    mass.bottomRightCorner<3, 3>() = body.inertia.inverse();
    inverse += jacobian * mass * jacobian.transpose();
  };
  add(joint.body_a, joint.jacobian_a), add(joint.body_b, joint.jacobian_b);
  Vec6 result;
  const Mat3 held = inverse.topLeftCorner<3, 3>().inverse();
  const Mat3 turns = inverse.bottomRightCorner<3, 3>() - inverse.bottomLeftCorner<3, 3>() * held * inverse.topRightCorner<3, 3>();
  result << inverse.topLeftCorner<3, 3>().diagonal().cwiseInverse(), turns.diagonal().cwiseInverse();
  return result;
}

}  // namespace

void StructureSolver::shape_laws() {
  const double dt = island_.dt;
  shifts_.assign(joints_.size(), Vec6::Zero());
  springs_.assign(joints_.size(), {});
  for (size_t j = 0; j < joints_.size(); ++j) {
    PlasticConstraint& joint = *joints_[j];
    IslandJoint& ours = island_.joints[j];
    if (!joint.law.exact && !(joint.law.drag > 0)) continue;
    const Vec6 inertia = moved_inertia(ours, island_.bodies);
    if (!joint.law.paper_switch) joint.step_law = joint.law;
    joint.step_law.step_drag.tail<3>() = joint.law.drag / dt * inertia.tail<3>();
    if (!joint.law.exact) continue;
    Vec6 free = ours.outer_rate + joint.state.lag;
    if (ours.body_a >= 0) free += ours.jacobian_a * island_.bodies[static_cast<size_t>(ours.body_a)].free;
    if (ours.body_b >= 0) free += ours.jacobian_b * island_.bodies[static_cast<size_t>(ours.body_b)].free;
    bool all = true;
    for (int row = 0; row < 6; ++row) {
      if (!is_spring(joint.law, row)) continue;
      const double stiffness = joint.law.stiffness[row], strain = ours.strain[row];
      const SpringSolution spring = solve_spring(inertia[row], joint.law.damping * stiffness, stiffness, dt);
      all = all && spring.place_by_speed > kMinReach * dt;
      if (!(spring.place_by_speed > kMinReach * dt)) continue;
      // The implicit step of a spring of this stiffness, strained so far, moves as far as the analytic one.
      const double within = inertia[row] * (dt / spring.place_by_speed - 1) / (dt * dt);
      all = all && within > 0;
      if (!(within > 0)) continue;
      const double mean = ((spring.place_by_place - 1) * strain + spring.place_by_speed * free[row]) / dt;
      const double end = spring.speed_by_place * strain + spring.speed_by_speed * free[row];
      const double strained = ((1 - spring.place_by_place) * strain / spring.place_by_speed - joint.state.lag[row]) * inertia[row] / (dt * within);
      joint.step_law.stiffness[row] = within;
      shifts_[j][row] = strained - strain;
      springs_[j].mean_rate[row] = mean, springs_[j].lag[row] = end - mean, springs_[j].is_exact[static_cast<size_t>(row)] = true;
    }
    if (all) {
      joint.step_law.damping = 0;  // it is part of the solution
    } else {  // too stiff or too slow for the step: implicit, with its damping
      joint.step_law.stiffness = joint.law.stiffness, shifts_[j].setZero(), springs_[j] = {};
    }
    ours.strain += shifts_[j];
  }
}

void StructureSolver::update_lags() {
  for (size_t j = 0; j < joints_.size(); ++j) {
    if (!joints_[j]->law.exact) continue;
    const SpringStep& spring = springs_[j];
    for (int row = 0; row < 6; ++row) {
      const double off = std::abs(island_.joints[j].rate[row] - spring.mean_rate[row]);
      const bool holds = spring.is_exact[static_cast<size_t>(row)] && off <= kAsPredicted * (std::abs(spring.mean_rate[row]) + std::abs(spring.lag[row]));
      joints_[j]->state.lag[row] = holds ? spring.lag[row] : 0;
    }
  }
}

}  // namespace crumple::rigid
