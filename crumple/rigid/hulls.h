#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple::rigid {

struct HullSettings {
  double tolerance = 0.02;  // m: how far hulls may bridge a concavity, 95th percentile over rest and example shapes
  int least = 8, most = 24;
  double margin = 0.005;  // m
};

/// A point that moves with the four vertices of a tetrahedron.
struct CarriedPoint {
  Tetrahedron vertices = {};
  std::array<float, 4> weights = {};  // sum 1
};

/// How a mesh is scored into pieces: see Pieces, whose arrays these are.
struct ScoredTets {
  std::span<const int> piece;  // #tets
  std::span<const int> cut_tets, first_corner;
  std::span<const std::array<float, 4>> corners;
  std::span<const Vec3f> inward;
  double margin = 0;  // m: corners on cuts are moved in by this, so that the margins of two pieces touch instead of overlapping
};

/// A body cut into convex hulls that move with its vertices.
struct HullDecomposition {
  std::vector<std::vector<int>> vertices;          // per hull: the vertices that can be extreme in some shape
  std::vector<std::vector<CarriedPoint>> carried;  // per hull, after its vertices: corners along cuts; none for a body in one piece
  std::vector<int> piece;                          // per hull; empty for a body in one piece
  std::vector<std::vector<int>> faces;             // per hull: indices into boundary_faces(mesh) of its tetrahedra
  double overshoot = 0;                            // m, 95th percentile that was reached
  double margin = 0.005;                           // m, to be added outside the points
};

/// k-means over tetrahedra (deterministic), then the cluster that bridges most is split until the tolerance or `most` is
/// reached. `shapes` are the vertex positions in every example pose, the rest shape first.
/// Hulls of a scored body keep to their piece, and `least` and `most` count for the whole body (every piece has at least one).
HullDecomposition decompose(const TetMesh& mesh, std::span<const std::vector<Vec3>> shapes, const HullSettings& settings,
                            const ScoredTets* scored = nullptr);

}  // namespace crumple::rigid
