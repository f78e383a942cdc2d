#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "crumple/rigid/island_work.h"

// Sweeps over rows and joints, each solved by itself [Jean, Moreau]: far from Newton's method in accuracy, but velocities are at every moment those that
// the impulses so far cause, so momentum is exact wherever it ends.

namespace crumple::rigid {
namespace {

constexpr int kSweeps = 60;
constexpr int kJointSteps = 20, kHalvings = 12;
constexpr double kJointTolerance = 1e-9;

Vec6 over_mass(const Island& island, const IslandWork& work, int body, const Vec6& impulse) {
  Vec6 result;
  result.head<3>() = impulse.head<3>() / island.bodies[static_cast<size_t>(body)].mass;
  result.tail<3>() = work.inverse_inertia[static_cast<size_t>(body)] * impulse.tail<3>();
  return result;
}

/// A row: how its impulse moves its bodies, and how much it gives way to itself.
struct Lever {
  Vec6 a = Vec6::Zero(), b = Vec6::Zero();
  double give = 0;
};

std::vector<Lever> levers_of(const Island& island, const IslandWork& work) {
  std::vector<Lever> levers(island.rows.size());
  for (size_t i = 0; i < island.rows.size(); ++i) {
    const IslandRow& row = island.rows[i];
    Lever& lever = levers[i];
    if (row.body_a >= 0) lever.a = over_mass(island, work, row.body_a, row.jacobian_a), lever.give += lever.a.dot(row.jacobian_a);
    if (row.body_b >= 0) lever.b = over_mass(island, work, row.body_b, row.jacobian_b), lever.give += lever.b.dot(row.jacobian_b);
  }
  return levers;
}

class Balance {
 public:
  Balance(Island& island, std::span<Vec6> velocities, const IslandWork& work)
      : island_(island), velocities_(velocities), work_(work), levers_(levers_of(island, work)) {
    for (size_t i = 0; i < velocities.size(); ++i) velocities_[i] = island.bodies[i].free;
    for (IslandRow& row : island.rows) row.impulse = 0;
    for (IslandJoint& joint : island.joints) joint.force.setZero();
  }

  void sweep() {
    for (IslandJoint& joint : island_.joints) solve_joint(joint);
    for (size_t i = 0; i < island_.rows.size(); ++i) solve_row(i);
  }

  void finish() {
    for (IslandJoint& joint : island_.joints) joint.rate = rate_of(joint);
  }

 private:
  Vec6& velocity(int body) { return velocities_[static_cast<size_t>(body)]; }

  void solve_row(size_t index) {
    IslandRow& row = island_.rows[index];
    const Lever& lever = levers_[index];
    double change = 0;
    if (row.body_a >= 0) change += row.jacobian_a.dot(velocity(row.body_a) - island_.bodies[static_cast<size_t>(row.body_a)].free);
    if (row.body_b >= 0) change += row.jacobian_b.dot(velocity(row.body_b) - island_.bodies[static_cast<size_t>(row.body_b)].free);
    const auto [low, high] = limits_of(index);
    const double wanted = row.impulse + (row.target - change - row.softness * row.impulse) / (row.softness + lever.give);
    const double step = std::clamp(wanted, low, high) - row.impulse;
    row.impulse += step;
    if (row.body_a >= 0) velocity(row.body_a) += step * lever.a;
    if (row.body_b >= 0) velocity(row.body_b) += step * lever.b;
  }

  /// Of a disc's two rows, each has what the other leaves.
  std::pair<double, double> limits_of(size_t index) const {
    const IslandRow& row = island_.rows[index];
    if (row.normal < 0) return {std::min(row.low, row.high), std::max(row.low, row.high)};
    const double radius = std::abs(row.friction * island_.rows[static_cast<size_t>(row.normal)].impulse);
    const RowRole role = work_.rows[index].role;
    const double other = role == RowRole::Disc ? island_.rows[index + 1].impulse : role == RowRole::Second ? island_.rows[index - 1].impulse : 0;
    const double limit = std::sqrt(std::max(0.0, radius * radius - other * other));
    return {-limit, limit};
  }

  Vec6 rate_of(const IslandJoint& joint) const { return joint.outer_rate + joint_rate(joint, velocities_); }

  void push(const IslandJoint& joint, const Vec6& force) {
    const Vec6 impulse = -island_.dt * force;
    if (joint.body_a >= 0) velocity(joint.body_a) += over_mass(island_, work_, joint.body_a, joint.jacobian_a.transpose() * impulse);
    if (joint.body_b >= 0) velocity(joint.body_b) += over_mass(island_, work_, joint.body_b, joint.jacobian_b.transpose() * impulse);
  }

  Mat6 give_of(const IslandJoint& joint) const {
    Mat6 give = Mat6::Zero();
    const auto add = [&](int body, const Mat6& jacobian) {
      if (body < 0) return;
      Mat6 moved;
      for (int row = 0; row < 6; ++row) moved.col(row) = over_mass(island_, work_, body, jacobian.row(row).transpose());
      give += jacobian * moved;
    };
    add(joint.body_a, joint.jacobian_a), add(joint.body_b, joint.jacobian_b);
    return give;
  }

  /// The force at which the joint's own strain asks for that force, all else as it is: the least of a convex energy of the strain,
  /// 1/2 (strain - free) give^-1 (strain - free) + energy of the law. A joint whose search fails keeps its force: a wrong one would add energy.
  void solve_joint(IslandJoint& joint) {
    const double reach = island_.dt + joint.law->damping;
    const Mat6 give = reach * island_.dt * give_of(joint);
    const Vec6 now = joint.strain + reach * rate_of(joint), free = now + give * joint.force;
    const Eigen::LDLT<Mat6> factors(give);
    if (factors.info() != Eigen::Success) return;
    const auto slope = [&](const Vec6& strain, const Vec6& step) {
      return step.dot(Vec6(factors.solve(strain - free)) + force_of(*joint.law, joint.capacity, strain));
    };
    Vec6 strain = now;
    for (int i = 0; i < kJointSteps; ++i) {
      const LawResponse response = respond(*joint.law, joint.capacity, strain);
      const Vec6 error = strain - free + give * response.force;
      if (error.norm() <= kJointTolerance * (strain - free).norm()) {
        push(joint, response.force - joint.force);
        joint.force = response.force;
        return;
      }
      const Vec6 step = -(Mat6::Identity() + give * response.tangent).partialPivLu().solve(error);
      strain += share_of_step(slope, strain, step) * step;
    }
  }

  /// How far the energy falls along a step, at most all of it.
  template <class Slope>
  static double share_of_step(const Slope& slope, const Vec6& strain, const Vec6& step) {
    if (slope(strain + step, step) <= 0) return 1;
    double low = 0, high = 1;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      (slope(strain + middle * step, step) > 0 ? high : low) = middle;
    }
    return low > 0 ? low : high;
  }

  Island& island_;
  std::span<Vec6> velocities_;
  const IslandWork& work_;
  std::vector<Lever> levers_;
};

}  // namespace

void balance(Island& island, std::span<Vec6> velocities, const IslandWork& work) {
  Balance balance(island, velocities, work);
  for (int i = 0; i < kSweeps; ++i) balance.sweep();
  balance.finish();
}

}  // namespace crumple::rigid
