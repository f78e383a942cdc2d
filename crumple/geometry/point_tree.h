#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// A box tree over points that answers "which are nearest?" in a time that does not depend on how they are spread. Keeps its own copy. Points may
/// be balls: distances are then to their surfaces, negative inside.
class PointTree {
 public:
  /// All finite. `radii`: #points, none negative; empty: all are points.
  explicit PointTree(std::span<const Vec3> points, std::span<const double> radii = {});

  struct Hit {
    int point = -1;
    double distance = 0;
  };
  /// The nearest one that is nearer than `within`; -1, and that distance, if there is none. `except` does not count.
  Hit nearest(const Vec3& place, double within = 1e300, int except = -1) const;
  /// The `count` nearest to a place that are nearer than `within`, nearest first.
  std::vector<Hit> nearest_few(const Vec3& place, size_t count, double within = 1e300) const;

 private:
  struct Node {
    Vec3 low, high;
    double largest;    // radius
    int first, count;  // leaf: points first..first+count in the order of the leaves; inner: count 0, children first and first+1
  };
  void build(int node, int begin, int end, std::span<const Vec3> points, std::span<const double> radii);
  /// Calls visit(hit) for points that may be nearer than `within`, which visit may reduce.
  template <class Visit>
  void search(const Vec3& place, double& within, const Visit& visit) const;

  std::vector<int> order_;     // #points: numbers in the order of the leaves
  std::vector<Vec3> points_;   // in that order
  std::vector<double> radii_;  // in that order
  std::vector<Node> nodes_;
};

}  // namespace crumple
