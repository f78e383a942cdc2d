#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// The point of a triangle nearest to `point`, as barycentric coordinates.
Vec3 closest_barycentric(const Vec3& point, const Vec3& a, const Vec3& b, const Vec3& c);

/// A box tree over triangles that answers "which is nearest?". Keeps its own copy of the geometry.
class TriangleTree {
 public:
  TriangleTree(std::span<const Vec3> positions, std::span<const Triangle> triangles);

  struct Hit {
    int triangle = -1;
    Vec3 point = Vec3::Zero();
    Vec3 barycentric = Vec3::Zero();
    double distance = 1e300;
  };
  /// The nearest point on any triangle; no triangle if none is nearer than `within`.
  Hit closest(const Vec3& point, double within = 1e300) const;

 private:
  struct Node {
    Vec3 low, high;
    int first, count;  // leaf: triangles order_[first..first+count); inner: count 0, children first and first+1
  };
  void build(int node, int begin, int end, std::vector<Vec3>& centers);
  std::vector<Vec3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace crumple
