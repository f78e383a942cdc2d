#pragma once

#include <optional>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// A vertical plane that swaps left and right.
struct MirrorPlane {
  int axis = 0;   // 0 (x) or 2 (z)
  double at = 0;  // metres along it

  Vec3 image(Vec3 point) const {
    point[axis] = 2 * at - point[axis];
    return point;
  }
};

/// The plane through the middle of a surface that it is symmetric about, up to `tolerance` of its diagonal; across its narrower side if there are
/// two.
std::optional<MirrorPlane> mirror_plane(const TriMesh& surface, double tolerance = 0.005);

/// choose_handles with mirror images: pairs, and single ones in the plane. None if the tetrahedra are not symmetric enough, or if that many cannot be
/// had. Two of a pair may differ from mirror images by half a `cell`.
std::vector<int> choose_mirrored_handles(const TetMesh& mesh, int count, const std::vector<Vec3>& fixed, const MirrorPlane& plane, double cell);

}  // namespace crumple
