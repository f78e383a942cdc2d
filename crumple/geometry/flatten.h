#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple {

struct FlattenSettings {
  double reach = 1;         // metres: over which normals are compared
  double alike = 0.3;       // normals whose difference is this long count by exp(-1/2)
  int rounds = 20;          // of normals
  int moves = 40;           // of vertices after their normals
  double most_moved = 1e9;  // metres from where a vertex began
};

/// Levels a closed mesh but keeps its edges: normals of triangles become the mean of those around them that are alike, and vertices are moved until
/// the triangles face that way. [Zheng, Fu, Au, Tai 2011: Bilateral normal filtering for mesh denoising; vertices as in Sun et al. 2007]
/// Vertices stay where triangles would fold over.
void flatten(TriMesh& mesh, const FlattenSettings& settings);

}  // namespace crumple
