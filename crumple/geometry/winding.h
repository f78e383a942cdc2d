#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// How often a surface winds around a point: 1 inside a closed outward surface, 0 outside, a smooth blend near holes. Sums over
/// overlapping shells, so "inside" is simply "more than a half", whatever holes and self-intersections there are.
/// Far groups of triangles count as one dipole with its first two moments, near ones exactly. [Barill et al. 2018]
class WindingTree {
 public:
  WindingTree(std::span<const Vec3> positions, std::span<const Triangle> triangles);

  double winding(const Vec3& point) const;
  bool inside(const Vec3& point) const { return winding(point) > 0.5; }

 private:
  struct Node {
    Vec3 center;                    // of area
    double radius;                  // of the triangles about the center
    Vec3 dipole;                    // sum of area normals
    Mat3 moment;                    // sum of offset x area normal, offsets from the center
    Vec3 trace;                     // of the second moment, over all its pairs of indices
    std::array<double, 10> second;  // the second moment as a cubic form: xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
    int first, count;               // leaf: triangles first..first+count of corners_; inner: count 0, children first and first+1
  };
  void build(int node, int begin, int end, std::span<const Vec3> positions, std::span<const Triangle> triangles, std::vector<int>& order);
  std::vector<std::array<Vec3, 3>> corners_;  // #triangles, in the order of the leaves
  std::vector<Node> nodes_;
};

/// The same by summing over all triangles; for tests and for few points.
double exact_winding(std::span<const Vec3> positions, std::span<const Triangle> triangles, const Vec3& point);

/// The volume a closed outward surface encloses; overlaps count as often as they are wound around.
double signed_volume(std::span<const Vec3> positions, std::span<const Triangle> triangles);

}  // namespace crumple
