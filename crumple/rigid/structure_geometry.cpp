#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "crumple/rigid/bullet.h"
#include "crumple/rigid/structure_solver.h"

// Where joints are within a step, and what that does to their strains and to the directions of their forces.

namespace crumple::rigid {
namespace {

// Rows are linear within a step, joints are not: a step is solved again while the difference would change a joint's force by more than this share of
// its capacity, or of its force.
constexpr double kCorrectionTolerance = 1e-3;
// A joint is taut if within a step its pull turns a part back by more than this share of what the part's inertia allows. Passes then hold turns with
// the stiffness of a pull that is taken midway, half of the whole.
constexpr double kTaut = 0.5, kHold = 0.5;

/// The force of a row against which errors are measured: its own, or a hundredth of what it can take. What never yields is no measure; a nanometre
/// or nanoradian is nothing.
double tolerated_force(const IslandJoint& joint, int row) {
  const double capacity = joint.capacity[row], least = std::isfinite(capacity) ? 1e-2 * capacity : 0;
  return std::max(std::min(capacity, std::abs(joint.force[row]) + 1e-9 * joint.law->stiffness[row]), least);
}

/// Where a part's joint frame will be after a step.
Transform carried(const btRigidBody& part, const Transform& frame, const Vec6& velocity, double dt) {
  return moved(from_bullet(part.getWorldTransform()), velocity.head<3>(), velocity.tail<3>(), dt) * frame;
}

}  // namespace

Vec6 StructureSolver::velocity_now(const btRigidBody& part, int body) const {
  return body >= 0 ? velocities_[static_cast<size_t>(body)] : velocity_of(part.getLinearVelocity(), part.getAngularVelocity());
}

/// Jacobians of a joint from where it is a while after the beginning of the step.
void StructureSolver::set_geometry(size_t index, const JointGeometry& geometry, double time) {
  const btRigidBody &a = joints_[index]->getRigidBodyA(), &b = joints_[index]->getRigidBodyB();
  IslandJoint& joint = island_.joints[index];
  const Vec6 of_a = velocity_now(a, joint.body_a), of_b = velocity_now(b, joint.body_b);
  const Vec3 center_a = from_bullet(a.getCenterOfMassPosition()) + time * of_a.head<3>(),
             center_b = from_bullet(b.getCenterOfMassPosition()) + time * of_b.head<3>();
  jacobians(geometry, center_a, center_b, joint.jacobian_a, joint.jacobian_b);
  joint.outer_rate.setZero();
  if (joint.body_a < 0) joint.outer_rate += joint.jacobian_a * of_a;
  if (joint.body_b < 0) joint.outer_rate += joint.jacobian_b * of_b;
  joint.rate = joint.jacobian_a * of_a + joint.jacobian_b * of_b;
  frames_[index] = geometry.frame, arms_a_[index] = geometry.at - center_a, arms_b_[index] = geometry.at - center_b;
}

/// Whether parts turn so far within the step that strains are not linear in it. An upper bound, because measuring takes longer: anchors of a part
/// that turns by an angle leave their tangent by half its square times their distance, and two turns miss each other by half their product.
bool StructureSolver::may_need_correction(const IslandJoint& joint) const {
  const auto turn_of = [&](int body) { return body >= 0 ? velocities_[static_cast<size_t>(body)].tail<3>().norm() * island_.dt : 0.0; };
  const double a = turn_of(joint.body_a), b = turn_of(joint.body_b);
  // The columns of a jacobian that belong to turning hold the distance from the part's centre.
  const double arm_a = joint.jacobian_a.topRightCorner<3, 3>().norm(), arm_b = joint.jacobian_b.topRightCorner<3, 3>().norm();
  const double offset = a * a * arm_a + b * b * arm_b + (a + b) * joint.strain.head<3>().norm();
  const double twist = (a + b) * (a + b) + (a + b) * joint.strain.tail<3>().norm();
  for (int row = 0; row < 6; ++row) {
    if (joint.law->stiffness[row] * (row < 3 ? offset : twist) > kCorrectionTolerance * tolerated_force(joint, row)) return true;
  }
  return false;
}

/// A joint as it will be if parts move on as found.
JointGeometry StructureSolver::measure_later(size_t index, double time) const {
  const PlasticConstraint& joint = *joints_[index];
  const IslandJoint& ours = island_.joints[index];
  const auto then = [&](const btRigidBody& part, int body, const Transform& frame) { return carried(part, frame, velocity_now(part, body), time); };
  return measure(joint.state, then(joint.getRigidBodyA(), ours.body_a, joint.frames.in_a),
                 then(joint.getRigidBodyB(), ours.body_b, joint.frames.in_b));
}

/// Strains as they really are after the parts have moved; without this turning pieces gain energy. Returns whether it matters.
bool StructureSolver::correct_geometry() {
  const double dt = island_.dt;
  bool matters = false;
  for (size_t j = 0; j < joints_.size(); ++j) {
    IslandJoint& ours = island_.joints[j];
    if (!may_need_correction(ours)) continue;
    const Vec6 end = measure_later(j, dt).strain, error = end + shifts_[j] - ours.strain - dt * ours.rate;
    for (int row = 0; row < 6; ++row) {
      matters = matters || ours.law->stiffness[row] * std::abs(error[row]) > kCorrectionTolerance * tolerated_force(ours, row);
    }
    if (is_taut(j)) taut_[j] = 1;
    if (taut_[j]) set_geometry(j, measure_later(j, 0.5 * dt), 0.5 * dt);
    ours.strain = end + shifts_[j] - dt * ours.rate;
  }
  hold_turns();
  return matters;
}

Vec3 StructureSolver::force_on_a(size_t index) const {
  return -(frames_[index] * island_.joints[index].force.head<3>());
}

/// Whether a part that turns under this joint's pull would be turned back by more than its inertia lets it go, within one step. Then the pull must
/// not be that of the beginning: where it points to would swing to and fro, ever farther. Thin plates that hang like a sail are so.
bool StructureSolver::is_taut(size_t index) const {
  const IslandJoint& joint = island_.joints[index];
  const Vec3 force = force_on_a(index);
  const auto taut = [&](int body, const Vec3& arm, double pull) {
    if (body < 0 || pull <= 0) return false;
    const Mat3& inertia = bodies_[static_cast<size_t>(body)].inertia;
    const double across = 0.5 * (inertia.trace() - arm.dot(inertia * arm) / arm.squaredNorm());
    return island_.dt * island_.dt * pull > kTaut * across;
  };
  return taut(joint.body_a, arms_a_[index], arms_a_[index].dot(force)) || taut(joint.body_b, arms_b_[index], -arms_b_[index].dot(force));
}

/// The stiffness that taut joints give to their parts' turns, about the turns of the last pass: with it passes converge, and then it does nothing.
void StructureSolver::hold_turns() {
  if (std::find(taut_.begin(), taut_.end(), 1) == taut_.end()) return;
  held_turns_.assign(bodies_.size(), Mat3::Zero());
  for (size_t j = 0; j < joints_.size(); ++j) {
    if (!taut_[j]) continue;
    const Vec3 force = force_on_a(j);
    const auto hold = [&](int body, const Vec3& arm, double pull) {
      if (body < 0 || pull <= 0) return;
      held_turns_[static_cast<size_t>(body)] +=
          kHold * island_.dt * island_.dt * pull * (Mat3::Identity() - arm * arm.transpose() / arm.squaredNorm());
    };
    hold(island_.joints[j].body_a, arms_a_[j], arms_a_[j].dot(force)), hold(island_.joints[j].body_b, arms_b_[j], -arms_b_[j].dot(force));
  }
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const IslandBody& body = bodies_[i];
    const Mat3 inertia = body.inertia + held_turns_[i];
    island_.bodies[i].inertia = inertia;
    island_.bodies[i].free.tail<3>() = inertia.ldlt().solve(body.inertia * body.free.tail<3>() + held_turns_[i] * velocities_[i].tail<3>());
  }
  for (size_t r = 0; r < island_.rows.size(); ++r) {
    IslandRow& row = island_.rows[r];
    row.target = targets_[r];
    const auto shift = [&](int body, const Vec6& jacobian) {
      if (body >= 0) row.target -= jacobian.dot(island_.bodies[static_cast<size_t>(body)].free - bodies_[static_cast<size_t>(body)].free);
    };
    shift(row.body_a, row.jacobian_a), shift(row.body_b, row.jacobian_b);
  }
}

}  // namespace crumple::rigid
