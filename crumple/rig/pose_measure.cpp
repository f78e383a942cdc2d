#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "crumple/rig/pose.h"

namespace crumple {
namespace {

constexpr double kFarthest = 10;  // diagonals

/// An element counts as inside out only if it is so beyond the rounding of files.
size_t count_inside_out(const Elements& mesh, const std::vector<Vec3>& positions) {
  size_t count = 0;
  for (size_t e = 0; e < mesh.size(); ++e) count += measure_of(mesh, positions, e) < -1e-6 * std::abs(measure_of(mesh, e)) ? 1 : 0;
  return count;
}

double volume_of(const Elements& mesh, std::span<const Vec3> positions) {
  double volume = 0;
  for (size_t e = 0; e < mesh.size(); ++e) volume += measure_of(mesh, positions, e);
  return volume;
}

}  // namespace

Result<void> check_goals(const Asset& asset, std::span<const PoseGoal> goals) {
  const double diagonal = diagonal_of(asset);
  for (const PoseGoal& goal : goals) {
    if (goal.handle < 0 || goal.handle >= static_cast<int>(asset.handles.size())) {
      return input_error(fmt::format("there is no handle {}; they are numbered 0 to {}", goal.handle, static_cast<int>(asset.handles.size()) - 1));
    }
    const std::string& name = asset.handles[static_cast<size_t>(goal.handle)].name;
    if (asset.flat && (goal.move.z() != 0 || (goal.turn && goal.turn->vec().head<2>().norm() > 1e-9)))
      return input_error(fmt::format("handle \"{}\": a drawing is flat: its handles move along x and y and turn about z", name));
    if (!goal.move.allFinite()) return input_error(fmt::format("handle \"{}\": a move must be finite", name));
    if (goal.turn && !(goal.turn->coeffs().allFinite() && goal.turn->norm() > 1e-9))
      return input_error(fmt::format("handle \"{}\": a turn must be finite", name));
    if (goal.move.norm() > kFarthest * diagonal) {
      return input_error(fmt::format("handle \"{}\": a move of {:.4g} m is more than {:g} times the body's size of {:.4g} m; moves are in metres",
                                     name, goal.move.norm(), kFarthest, diagonal));
    }
  }
  return {};
}

std::vector<Vec3> posed_positions(const Asset& asset, std::span<const HandleTransform> pose, double share) {
  assert(pose.size() == asset.handles.size());
  std::vector<Mat3> turn;   // with the stretch
  std::vector<Vec3> shift;  // x = turn u + shift
  for (size_t b = 0; b < pose.size(); ++b) {
    const Vec3& pivot = asset.handles[b].position;
    Quat q = pose[b].rotation.normalized();
    if (q.w() < 0) q.coeffs() *= -1;
    const Vec3 move = q * (pose[b].stretch * pivot) + pose[b].translation - pivot;
    if (asset.flat) {  // thesis, eq. 4.1
      turn.push_back(Quat::Identity().slerp(share, q).toRotationMatrix() * (share * pose[b].stretch + (1 - share) * Mat3::Identity()));
    } else {
      q.coeffs() = share * q.coeffs() + (1 - share) * Quat::Identity().coeffs();
      turn.push_back(q.normalized().toRotationMatrix());
    }
    shift.push_back(pivot + share * move - turn.back() * pivot);
  }
  const std::span<const Vec3> rest = asset.elements().positions;
  std::vector<Vec3> positions(rest.size(), Vec3::Zero());
  for (size_t v = 0; v < positions.size(); ++v) {
    for (size_t b = 0; b < pose.size(); ++b) {
      const double weight = asset.weight(v, b);
      if (weight != 0) positions[v] += weight * (turn[b] * rest[v] + shift[b]);
    }
  }
  return positions;
}

PoseEffect measure_pose(const Asset& asset, std::span<const HandleTransform> pose) {
  PoseEffect effect;
  const Elements mesh = asset.elements();
  const std::span<const Vec3> rest = mesh.positions;
  const std::vector<Vec3> positions = posed_positions(asset, pose);
  for (size_t v = 0; v < rest.size(); ++v) effect.farthest = std::max(effect.farthest, (positions[v] - rest[v]).norm());
  const double volume = volume_of(mesh, rest);
  if (volume > 0) effect.volume_change = volume_of(mesh, positions) / volume - 1;
  effect.inside_out = count_inside_out(mesh, positions);
  effect.inside_out_halfway = count_inside_out(mesh, posed_positions(asset, pose, 0.5));
  for (size_t b = 0; b < pose.size(); ++b) {
    const double turn = Quat::Identity().angularDistance(pose[b].rotation.normalized());
    if (turn > effect.largest_turn) effect.largest_turn = turn, effect.turns_most = static_cast<int>(b);
  }
  return effect;
}

}  // namespace crumple
