#pragma once

#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// A tetrahedral mesh; every tetrahedron has a positive determinant (b-a, c-a, d-a).
struct TetMesh {
  std::vector<Vec3> positions;         // #vertices
  std::vector<Tetrahedron> tets;       // #tets
};

/// Corners of the face opposite each corner, counter-clockwise from outside.
inline constexpr int kTetFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// A box about the origin, each of its cells divided into six.
TetMesh make_tet_grid(const Vec3& size, const Eigen::Vector3i& cells);

double tet_volume(const std::vector<Vec3>& positions, const Tetrahedron& tet);
Vec3 tet_center(const std::vector<Vec3>& positions, const Tetrahedron& tet);

/// Faces that belong to one tetrahedron only, counter-clockwise from outside.
std::vector<Triangle> boundary_faces(const TetMesh& mesh);
/// The tetrahedron behind each face of boundary_faces, in the same order.
std::vector<int> boundary_face_tets(const TetMesh& mesh);

/// A face between two tetrahedra, counter-clockwise seen from b.
struct InnerFace {
  Triangle corners;
  int a, b;
};
std::vector<InnerFace> inner_faces(const TetMesh& mesh);

/// Where each point of a surface sits in a tetrahedral mesh: it moves with four vertices.
struct Embedding {
  std::vector<int> tet;                          // #points
  std::vector<std::array<float, 4>> weights;     // #points, sum 1; outside points extrapolate their nearest tetrahedron
};

Embedding embed(const TetMesh& mesh, const std::vector<Vec3>& points);

}  // namespace crumple
