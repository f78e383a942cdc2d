#pragma once

#include <span>
#include <vector>

#include "crumple/rigid/hulls.h"

namespace crumple::rigid {

/// The points that each tetrahedron gives to its hull: its vertices or, along cuts, the corners of what the cuts leave of it.
struct TetPoints {
  std::vector<int> first;             // #tets + 1: begin of each tetrahedron's range in `points`
  std::vector<int> points;            // vertices of the mesh; from #vertices on, carried points
  std::vector<CarriedPoint> carried;  // corners on cuts, moved inwards

  std::span<const int> of(int tet) const { return std::span(points).subspan(first[tet], first[tet + 1] - first[tet]); }
};

TetPoints tet_points(const TetMesh& mesh, const ScoredTets* scored);

/// Positions in one shape, with those of the carried points after those of the vertices.
std::vector<Vec3> with_carried(std::span<const Vec3> shape, std::span<const CarriedPoint> carried);

}  // namespace crumple::rigid
