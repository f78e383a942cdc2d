#pragma once

#include "crumple/geometry/bvh.h"
#include "crumple/geometry/mesh.h"
#include "crumple/geometry/winding.h"

namespace crumple::rigid {

/// Signed distance to a mesh that does not change. The inside of a closed one is where it winds around; what lies behind an open one, as seen from
/// its faces, counts as inside.
class MeshField {
 public:
  explicit MeshField(const TriMesh& mesh);
  /// Infinite if the surface is farther than `within`. `normal` is the outward direction at the nearest point.
  double distance(const Vec3& point, double within, Vec3& normal) const;
  const Bounds& bounds() const { return bounds_; }
  bool is_closed() const { return closed_; }

 private:
  Vec3 outward(const TriangleTree::Hit& hit) const;
  TriangleTree tree_;
  WindingTree winding_;
  Bounds bounds_;
  bool closed_ = false;
  std::vector<Triangle> triangles_;  // corners that lie in one place have one index
  std::vector<Vec3> faces_;          // #triangles: unit normals
  std::vector<Vec3> sides_;          // 3 #triangles: normals of both faces at the side opposite each corner
  std::vector<Vec3> corners_;        // #vertices: normals of all faces, by their angles
};

}  // namespace crumple::rigid
