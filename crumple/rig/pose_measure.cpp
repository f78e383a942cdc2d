#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "crumple/rig/pose.h"

namespace crumple {
namespace {

constexpr double kFarthest = 10;  // diagonals

/// A tetrahedron counts as inside out only if it is so beyond the rounding of files.
size_t count_inside_out(const TetMesh& mesh, const std::vector<Vec3>& positions) {
  return static_cast<size_t>(std::count_if(mesh.tets.begin(), mesh.tets.end(), [&](const Tetrahedron& tet) {
    return tet_volume(positions, tet) < -1e-6 * std::abs(tet_volume(mesh.positions, tet));
  }));
}

double volume_of(const TetMesh& mesh, const std::vector<Vec3>& positions) {
  double volume = 0;
  for (const Tetrahedron& tet : mesh.tets) volume += tet_volume(positions, tet);
  return volume;
}

}  // namespace

Result<void> check_goals(const Asset& asset, std::span<const PoseGoal> goals) {
  const double diagonal = bounds_of(asset.tets.positions).diagonal();
  for (const PoseGoal& goal : goals) {
    if (goal.handle < 0 || goal.handle >= static_cast<int>(asset.handles.size())) {
      return input_error(fmt::format("there is no handle {}; they are numbered 0 to {}", goal.handle, static_cast<int>(asset.handles.size()) - 1));
    }
    const std::string& name = asset.handles[static_cast<size_t>(goal.handle)].name;
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
  std::vector<Mat3> turn;
  std::vector<Vec3> shift;  // x = turn u + shift
  for (size_t b = 0; b < pose.size(); ++b) {
    const Vec3& pivot = asset.handles[b].position;
    Quat q = pose[b].rotation.normalized();
    if (q.w() < 0) q.coeffs() *= -1;
    const Vec3 move = q * pivot + pose[b].translation - pivot;
    q.coeffs() = share * q.coeffs() + (1 - share) * Quat::Identity().coeffs();
    turn.push_back(q.normalized().toRotationMatrix());
    shift.push_back(pivot + share * move - turn.back() * pivot);
  }
  std::vector<Vec3> positions(asset.tets.positions.size(), Vec3::Zero());
  for (size_t v = 0; v < positions.size(); ++v) {
    for (size_t b = 0; b < pose.size(); ++b) {
      const double weight = asset.weight(v, b);
      if (weight != 0) positions[v] += weight * (turn[b] * asset.tets.positions[v] + shift[b]);
    }
  }
  return positions;
}

PoseEffect measure_pose(const Asset& asset, std::span<const HandleTransform> pose) {
  PoseEffect effect;
  const std::vector<Vec3>& rest = asset.tets.positions;
  const std::vector<Vec3> positions = posed_positions(asset, pose);
  for (size_t v = 0; v < rest.size(); ++v) effect.farthest = std::max(effect.farthest, (positions[v] - rest[v]).norm());
  const double volume = volume_of(asset.tets, rest);
  if (volume > 0) effect.volume_change = volume_of(asset.tets, positions) / volume - 1;
  effect.inside_out = count_inside_out(asset.tets, positions);
  effect.inside_out_halfway = count_inside_out(asset.tets, posed_positions(asset, pose, 0.5));
  for (size_t b = 0; b < pose.size(); ++b) {
    const double turn = Quat::Identity().angularDistance(pose[b].rotation.normalized());
    if (turn > effect.largest_turn) effect.largest_turn = turn, effect.turns_most = static_cast<int>(b);
  }
  return effect;
}

}  // namespace crumple
