#pragma once

#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple {

struct DihedralRange {
  double smallest = 180, largest = 0;  // degrees
};

/// The angles between the faces of one tetrahedron, and of all.
DihedralRange dihedral_range(const std::vector<Vec3>& positions, const Tetrahedron& tet);
DihedralRange dihedral_range(const TetMesh& mesh);

double total_volume(const TetMesh& mesh);

/// How many parts the tetrahedra fall into that share no vertex.
int connected_parts(const TetMesh& mesh);

/// Vertices where the boundary is no surface: an edge with more than two boundary faces, or fans that touch in a point only.
std::vector<int> non_manifold_vertices(const std::vector<Triangle>& boundary);

/// Vertices - edges + faces of a surface: 2 for each sphere, 0 for each torus.
int euler_characteristic(const std::vector<Triangle>& faces);

}  // namespace crumple
