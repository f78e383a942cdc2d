#include "crumple/rig/pose.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Cholesky>

#include "crumple/rig/pose_energy.h"
#include "crumple/rig/pose_rotation.h"

namespace crumple {
namespace {

// Goals are approached in strides, so that a large move bends the body along instead of folding it.
constexpr double kStride = 0.12;      // diagonals
constexpr double kStrideTurn = 0.35;  // radians
constexpr int kMaxStrides = 24;
constexpr int kStrideRounds = 3;
constexpr double kLargestStep = 0.6;  // radians a handle turns at most in a round
// Damping, over the stiffness of each handle. The least of it keeps what the goals leave open where it is.
constexpr double kMinDamping = 1e-9, kFirstDamping = 1e-4, kMaxDamping = 1e8;
constexpr double kNoise = 1e-14;  // of the energy

struct Task {
  HandlePlaces goal;                        // of the held handles
  std::vector<char> hold_turn, hold_place;  // #handles
  PoseFreedom free;
};

/// One run of damped Newton steps.
class Descent {
 public:
  Descent(const PoseEnergy& energy, const PoseFreedom& free, double diagonal)
      : energy_(energy), free_(free), diagonal_(diagonal), scale_(energy.stiffness(free)) {}

  /// True when it has settled. `energies` gets the energy before the first and after each round.
  bool run(HandlePlaces& at, int rounds, double tolerance, std::vector<double>& energies) {
    double now = energy_.evaluate(at, rotations_);
    energies.assign(1, now);
    if (free_.count == 0) return true;
    for (int round = 0; round < rounds; ++round) {
      energy_.derivatives(at, rotations_, free_, gradient_, hessian_);
      const double length = step(at, now);
      energies.push_back(now);
      if (length < tolerance * diagonal_) return true;
    }
    return false;
  }

 private:
  /// Goes down as far as it can be told; returns how far it went.
  double step(HandlePlaces& at, double& now) {
    for (; damping_ < kMaxDamping; damping_ *= 8) {
      damped_ = hessian_;
      damped_.diagonal() += damping_ * scale_;
      factor_.compute(damped_);
      if (factor_.info() != Eigen::Success) {
        damping_ = std::max(damping_, kFirstDamping);
        continue;
      }
      change_ = -factor_.solve(gradient_);
      shorten();
      const double slope = gradient_.dot(change_), expected = slope + 0.5 * change_.dot(hessian_ * change_);
      if (!(slope < -kNoise)) return 0;
      HandlePlaces trial = moved(at);
      std::vector<Mat3> rotations = rotations_;
      const double energy = energy_.evaluate(trial, rotations);
      if (!(energy < now)) {
        damping_ = std::max(damping_, kFirstDamping / 8);
        continue;
      }
      if (now - energy > 0.3 * std::abs(expected)) damping_ = std::max(0.05 * damping_, kMinDamping);
      at = std::move(trial), rotations_ = std::move(rotations), now = energy;
      return length();
    }
    damping_ = kFirstDamping;
    return 0;
  }

  void shorten() {
    double most = 0;
    for (const int row : free_.turn) most = std::max(most, row < 0 ? 0 : change_.segment<3>(row).norm());
    for (const int row : free_.place) most = std::max(most, row < 0 ? 0 : change_.segment<3>(row).norm() / diagonal_);
    if (most > kLargestStep) change_ *= kLargestStep / most;
  }

  double length() const {
    double most = 0;
    for (size_t b = 0; b < energy_.handles(); ++b) {
      const double turn = free_.turn[b] < 0 ? 0 : change_.segment<3>(free_.turn[b]).norm() * energy_.reach(b);
      most = std::max(most, turn + (free_.place[b] < 0 ? 0 : change_.segment<3>(free_.place[b]).norm()));
    }
    return most;
  }

  HandlePlaces moved(const HandlePlaces& at) const {
    HandlePlaces next = at;
    for (size_t b = 0; b < energy_.handles(); ++b) {
      if (free_.turn[b] >= 0) next.turn[b] = Quat(rotation_by(change_.segment<3>(free_.turn[b])) * at.turn[b]).normalized().toRotationMatrix();
      if (free_.place[b] >= 0) next.place[b] += change_.segment<3>(free_.place[b]);
    }
    return next;
  }

  const PoseEnergy& energy_;
  const PoseFreedom& free_;
  double diagonal_;
  Eigen::VectorXd scale_, gradient_, change_;
  Eigen::MatrixXd hessian_, damped_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::vector<Mat3> rotations_;
  double damping_ = kFirstDamping;
};

/// Moves the whole body to where the held handles are going, as well as a rigid motion can, turning no more than needed.
void move_as_one(const Task& task, bool is_flat, HandlePlaces& at) {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  int count = 0;
  for (size_t b = 0; b < at.place.size(); ++b) {
    if (task.hold_place[b]) from += at.place[b], to += task.goal.place[b], ++count;
  }
  if (count == 0) return;
  from /= count, to /= count;
  Mat3 sum = Mat3::Zero();
  for (size_t b = 0; b < at.place.size(); ++b) {
    if (task.hold_place[b]) sum += (task.goal.place[b] - to) * (at.place[b] - from).transpose();
  }
  Mat3 upright = 1e-7 * sum.norm() * Mat3::Identity();
  if (is_flat) upright(2, 2) = 10 * sum.norm() + 1e-300;
  const Mat3 turn = nearest_rotation(sum + upright);
  for (size_t b = 0; b < at.place.size(); ++b) {
    at.turn[b] = turn * at.turn[b];
    at.place[b] = to + turn * (at.place[b] - from);
  }
}

int count_strides(const Task& task, const HandlePlaces& at, double diagonal) {
  double most = 0;
  for (size_t b = 0; b < at.place.size(); ++b) {
    if (task.hold_place[b]) most = std::max(most, (task.goal.place[b] - at.place[b]).norm() / (kStride * diagonal));
    if (task.hold_turn[b]) most = std::max(most, Quat(task.goal.turn[b]).angularDistance(Quat(at.turn[b])) / kStrideTurn);
  }
  return std::clamp(static_cast<int>(std::ceil(std::min(most, 1e6))), 1, kMaxStrides);
}

/// Moves the held handles by `share` of the remaining way to their goal.
void approach(const Task& task, double share, HandlePlaces& at) {
  for (size_t b = 0; b < at.place.size(); ++b) {
    if (task.hold_place[b]) at.place[b] = share == 1 ? task.goal.place[b] : Vec3(at.place[b] + share * (task.goal.place[b] - at.place[b]));
    if (task.hold_turn[b]) at.turn[b] = share == 1 ? task.goal.turn[b] : Quat(at.turn[b]).slerp(share, Quat(task.goal.turn[b])).toRotationMatrix();
  }
}

bool is_sound(const PoseGoal& goal, size_t handles, double diagonal) {
  const bool known = goal.handle >= 0 && goal.handle < static_cast<int>(handles);
  return known && (goal.free || (goal.move.allFinite() && goal.move.norm() <= 10 * diagonal)) &&
         (!goal.turn || (goal.turn->coeffs().allFinite() && goal.turn->norm() > 1e-9));
}

}  // namespace

double diagonal_of(const Asset& asset) {
  const std::span<const Vec3> positions = asset.elements().positions;
  return bounds_of({positions.begin(), positions.end()}).diagonal();
}

struct Poser::Parts {
  PoseEnergy energy;
  std::vector<Vec3> pivots;  // #handles
  double diagonal;

  Task task_of(std::span<const PoseGoal> goals) const {
    Task task;
    const size_t count = pivots.size();
    task.goal = {std::vector<Mat3>(count, Mat3::Identity()), pivots};
    task.hold_turn.assign(count, 0), task.hold_place.assign(count, 1);
    for (const PoseGoal& goal : goals) {
      if (!is_sound(goal, count, diagonal)) continue;
      const auto b = static_cast<size_t>(goal.handle);
      task.hold_place[b] = !goal.free;
      task.goal.place[b] = goal.free ? pivots[b] : Vec3(pivots[b] + goal.move);
      task.hold_turn[b] = goal.turn.has_value();
      task.goal.turn[b] = goal.turn ? goal.turn->normalized().toRotationMatrix() : Mat3(Mat3::Identity());
    }
    for (size_t b = 0; b < count; ++b) {
      task.free.turn.push_back(task.hold_turn[b] ? -1 : 3 * task.free.count++);
      task.free.place.push_back(task.hold_place[b] ? -1 : 3 * task.free.count++);
    }
    task.free.count *= 3;
    return task;
  }

  HandlePlaces places_of(std::span<const HandleTransform> start) const {
    HandlePlaces at = {std::vector<Mat3>(pivots.size(), Mat3::Identity()), pivots};
    for (size_t b = 0; b < pivots.size() && start.size() == pivots.size(); ++b) {
      at.turn[b] = start[b].rotation.normalized().toRotationMatrix();
      at.place[b] = at.turn[b] * pivots[b] + start[b].translation;
    }
    return at;
  }
};

Poser::Poser(const Asset& asset) : parts_(new Parts{PoseEnergy(asset), {}, std::max(diagonal_of(asset), 1e-300)}) {
  for (const Handle& handle : asset.handles) parts_->pivots.push_back(handle.position);
}
Poser::~Poser() = default;
Poser::Poser(Poser&&) noexcept = default;
Poser& Poser::operator=(Poser&&) noexcept = default;

std::vector<HandleTransform> Poser::solve(std::span<const PoseGoal> goals, std::span<const HandleTransform> start, const PoseSettings& settings,
                                          PoseReport* report) const {
  assert(start.empty() || start.size() == parts_->pivots.size());
  const Task task = parts_->task_of(goals);
  HandlePlaces at = parts_->places_of(start);
  PoseReport told;
  move_as_one(task, parts_->energy.is_flat(), at);
  Descent descent(parts_->energy, task.free, parts_->diagonal);
  const int strides = count_strides(task, at, parts_->diagonal);
  for (int left = strides; left > 0; --left) {
    approach(task, 1.0 / left, at);
    const int rounds = std::max(0, settings.rounds - told.rounds);
    told.converged = descent.run(at, left > 1 ? std::min(rounds, kStrideRounds) : rounds, left > 1 ? 1e-3 : settings.tolerance, told.energies);
    told.rounds += static_cast<int>(told.energies.size()) - 1;
  }
  told.energy = told.energies.back();
  if (report) *report = told;
  std::vector<HandleTransform> pose(at.turn.size());
  for (size_t b = 0; b < pose.size(); ++b) {
    pose[b].rotation = Quat(at.turn[b]).normalized();
    if (pose[b].rotation.w() < 0) pose[b].rotation.coeffs() *= -1;
    pose[b].translation = at.place[b] - pose[b].rotation * parts_->pivots[b];
  }
  return pose;
}

}  // namespace crumple
