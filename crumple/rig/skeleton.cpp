#include "crumple/rig/skeleton.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple {
namespace {

// Ends nearer than this share of the shortest bone's length are one node.
constexpr double kSameNode = 0.1;
constexpr double kNoLength = 1e-6;

}  // namespace

OnBone nearest_on_bone(const Skeleton& skeleton, int bone, const Vec3& point) {
  const Vec3& from = skeleton.nodes[at(skeleton.bones[at(bone)][0])];
  const Vec3 along = skeleton.nodes[at(skeleton.bones[at(bone)][1])] - from;
  const double square = along.squaredNorm();
  OnBone result;
  result.share = square > 0 ? std::clamp((point - from).dot(along) / square, 0.0, 1.0) : 0.0;
  result.distance = (point - from - result.share * along).norm();
  return result;
}

double length_of_bone(const Skeleton& skeleton, int bone) {
  return (skeleton.nodes[at(skeleton.bones[at(bone)][1])] - skeleton.nodes[at(skeleton.bones[at(bone)][0])]).norm();
}

Result<Skeleton> connect_bones(std::span<const BoneLine> lines) {
  const auto name_of = [&](size_t i) { return lines[i].name.empty() ? fmt::format("bone {}", i + 1) : lines[i].name; };
  double shortest = 1e300;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].from.allFinite() || !lines[i].to.allFinite()) return input_error(fmt::format("\"{}\" has no finite ends", name_of(i)));
    const double length = (lines[i].to - lines[i].from).norm();
    if (!(length > kNoLength)) return input_error(fmt::format("\"{}\" has no length; its ends must differ", name_of(i)));
    shortest = std::min(shortest, length);
  }
  Skeleton skeleton;
  const auto node_at = [&](const Vec3& place) {
    for (size_t n = 0; n < skeleton.nodes.size(); ++n) {
      if ((skeleton.nodes[n] - place).norm() < kSameNode * shortest) return static_cast<int>(n);
    }
    skeleton.nodes.push_back(place);
    return static_cast<int>(skeleton.nodes.size()) - 1;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const BoneLine& line = lines[i];
    const std::string name = name_of(i);
    const std::array<int, 2> bone = {node_at(line.from), node_at(line.to)};
    for (size_t k = 0; k < skeleton.bones.size(); ++k) {
      const auto& [a, b] = skeleton.bones[k];
      if ((a == bone[0] && b == bone[1]) || (a == bone[1] && b == bone[0])) {
        return input_error(fmt::format("\"{}\" and \"{}\" join the same two places; leave one out", skeleton.names[k], name));
      }
    }
    skeleton.bones.push_back(bone);
    skeleton.names.push_back(name);
  }
  return skeleton;
}

}  // namespace crumple
