#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple::clusters {

/// Walls between particles: a tree of planes, each between two halves of a set of particles. It is built once, so that cells are
/// divided by the same walls in any order.
class WallTree {
 public:
  struct Node {
    Vec3 normal = Vec3::UnitX();
    double offset = 0;
    int32_t low = -1, high = -1;  // nodes: where normal . x <= offset, and beyond; -1: it cannot be divided further
    int32_t begin = 0, end = 0;   // ranks of its particles
  };

  WallTree() = default;
  explicit WallTree(std::span<const Vec3> particles);
  /// The first wall that separates some particles.
  const Node& between(std::span<const int32_t> particles) const;

 private:
  std::vector<Node> nodes_;
  std::vector<int32_t> rank_;  // #particles: those of a node have consecutive ranks
};

}  // namespace crumple::clusters
