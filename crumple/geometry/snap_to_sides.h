#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/cells.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// Where the corners of a mesh count as when cells cut it: one nearer than `slack` to a side of a cell around it is moved onto that, onto as many as
/// it can be without moving further than three times the slack or out of the mesh's box, where nothing is known of cells. `bounds`: a box around each
/// cell.
///
/// Corners are moved rather than planes, for planes that no longer meet where they did leave gaps between cells.
std::vector<Vec3> snap_to_sides(const TetMesh& mesh, std::span<const ConvexCell> cells, std::span<const Bounds> bounds, double slack);

}  // namespace crumple
