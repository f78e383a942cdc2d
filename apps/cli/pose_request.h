#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/rig/pose.h"

namespace crumple::cli {

/// What is asked of one handle, as it was written, and where, for messages.
struct HandleWish {
  std::string handle;  // name or number
  Vec3 values = Vec3::Zero();
  std::string where;
  std::string not_of_solids;  // what is wrong with it unless the asset is a drawing: x and y alone
};

/// A pose as an artist asks for it.
struct PoseRequest {
  std::string name, where;
  std::vector<HandleWish> move;  // metres
  std::vector<HandleWish> turn;  // degrees about x, then y, then z
  std::vector<HandleWish> free;
  std::vector<HandleWish> stretch;  // of a drawing: factors along x and y
};

/// "H=x,y,z", as --move and --turn take it.
Result<HandleWish> parse_wish(std::string_view option, const std::string& text);

/// {"name": ..., "move": {"H": [x, y, z]}, "turn": {"H": [rx, ry, rz]}, "free": ["H"], "stretch": {"H": [sx, sy]}}, or several of them in a list
/// "poses". Vectors of drawings may leave out z. "exchange" names a pose before it: this one is the same for the handles of the other side, whose names
/// begin with "right" instead of "left", or "front" instead of "back".
Result<std::vector<PoseRequest>> read_pose_file(const std::string& file);

/// The request in terms of an asset's handles; complains about what it does not have and what makes no sense.
Result<std::vector<PoseGoal>> goals_of(const Asset& asset, const PoseRequest& request);

/// Stretches of a drawing's handles.
Result<std::vector<std::pair<int, Mat3>>> stretches_of(const Asset& asset, const PoseRequest& request);

/// An example's name may not be that of the rest pose, empty or unreadable.
Result<void> check_pose_name(const Asset& asset, const PoseRequest& request);

/// A handle's number, name and place at rest.
std::string handle_text(const Asset& asset, size_t handle);

}  // namespace crumple::cli
