#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple::rigid {

struct HullSettings {
  double tolerance = 0.02;  // m: how far hulls may bridge a concavity, 95th percentile over rest and example shapes
  int least = 8, most = 24;
};

/// A body cut into convex hulls that move with its vertices.
struct HullDecomposition {
  std::vector<std::vector<int>> vertices;  // per hull: the vertices that can be extreme in some shape
  std::vector<std::vector<int>> faces;     // per hull: indices into boundary_faces(mesh) of its tetrahedra
  double overshoot = 0;                    // m, 95th percentile that was reached
};

/// k-means over tetrahedra (deterministic), then the cluster that bridges most is split until the tolerance or `most` is
/// reached. `shapes` are the vertex positions in every example pose, the rest shape first.
HullDecomposition decompose(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, const HullSettings& settings);

}  // namespace crumple::rigid
