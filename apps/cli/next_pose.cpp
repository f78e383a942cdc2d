#include "apps/cli/next_pose.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/model.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rig/pose.h"

namespace crumple::cli {
namespace {

constexpr size_t kTried = 3;                            // handles
constexpr size_t kMaxSolved = 100;                      // handles of a rig that poses are tried on: beyond, that takes its time
constexpr double kPushes[] = {0.12, 0.09, 0.06, 0.03};  // of the diagonal

/// Handles near the top first; of those at one height rather the ones in the middle, which are on a roof and not on a spoiler.
std::vector<int> from_the_top(const Asset& asset, const Bounds& bounds) {
  const Vec3 size = (bounds.high - bounds.low).cwiseMax(1e-9), middle = 0.5 * (bounds.low + bounds.high);
  const auto score = [&](int handle) {
    const Vec3 place = (asset.handles[static_cast<size_t>(handle)].position - middle).cwiseQuotient(size);
    return place.y() - 0.6 * std::hypot(place.x(), place.z());
  };
  std::vector<int> order(asset.handles.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return score(a) > score(b); });
  return order;
}

/// Two digits, and none where the handle hardly moves.
Vec3 rounded(const Vec3& move) {
  Vec3 result = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(move[axis]) < 0.05 * move.norm()) continue;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(move[axis]))) - 1);
    result[axis] = std::round(move[axis] / unit) * unit;
  }
  return result;
}

std::string handle_word(const Asset& asset, int handle) {
  const std::string& name = asset.handles[static_cast<size_t>(handle)].name;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, is_plain) ? name : fmt::format("{}", handle);
}

}  // namespace

std::string next_pose(const Asset& asset, const std::string& file) {
  const Bounds bounds = bounds_of(asset.tets.positions);
  const Vec3 middle = 0.5 * (bounds.low + bounds.high);
  const std::vector<int> order = from_the_top(asset, bounds);
  const auto push = [&](int handle, double share) {
    const Vec3 inward = middle - asset.handles[static_cast<size_t>(handle)].position;
    return rounded(share * bounds.diagonal() * inward / std::max(inward.norm(), 1e-9));
  };
  int handle = order[0];
  Vec3 move = push(handle, kPushes[0]);
  const auto try_all = [&] {
    const Poser poser(asset);
    for (const double share : kPushes) {
      for (size_t k = 0; k < std::min(kTried, order.size()); ++k) {
        handle = order[k], move = push(handle, share);
        const PoseEffect effect = measure_pose(asset, poser.solve(std::vector<PoseGoal>{{handle, move, {}, false}}));
        if (effect.inside_out + effect.inside_out_halfway == 0) return;
      }
    }
  };
  if (asset.handles.size() <= kMaxSolved) try_all();
  return fmt::format("crumple pose {} --name crushed --move {}={:.3g},{:.3g},{:.3g}", shell_word(file), handle_word(asset, handle), move.x(),
                     move.y(), move.z());
}

}  // namespace crumple::cli
