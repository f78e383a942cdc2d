#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// Straight bones between nodes. Several bones may meet at a node, and they may close rings.
struct Skeleton {
  std::vector<Vec3> nodes;
  std::vector<std::array<int, 2>> bones;  // the nodes of each
  std::vector<std::string> names;         // #bones
};

/// One bone as an artist writes it.
struct BoneLine {
  std::string name;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};

/// Ends that are nearer to each other than a tenth of the shortest bone become one node. An error names bones without length or in one place.
Result<Skeleton> connect_bones(std::span<const BoneLine> lines);

/// A skeleton from the shape alone, of at most `bones`: the tetrahedra are cut into slices by their distance from one end, measured inside the body;
/// the centres of connected slices are the nodes of a graph, short twigs are pruned, what is left becomes straight bones, which are fitted to the
/// tetrahedra around them.
Result<Skeleton> extract_skeleton(const TetMesh& mesh, int bones);

/// Share of the bone's length, 0 to 1, at which it comes nearest to a point, and the distance.
struct OnBone {
  double share = 0, distance = 0;
};
OnBone nearest_on_bone(const Skeleton& skeleton, int bone, const Vec3& point);
double length_of_bone(const Skeleton& skeleton, int bone);

}  // namespace crumple
