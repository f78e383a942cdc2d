#pragma once

#include <map>
#include <utility>
#include <vector>

#include "crumple/geometry/cut_surface.h"
#include "crumple/rig/pieces.h"
#include "crumple/rig/score_fragments.h"

namespace crumple {

/// What one cell leaves of the drawn surface, taken apart into what hangs together.
struct CellSurface {
  SurfaceCut cut;
  std::vector<int> skin_place, cap_place;  // #vertices: equal for equal places, over all cells
  std::vector<int> skin_part, cap_part;    // #triangles: connected part of this cell
  int parts = 0;
};
/// `surface` has been closed by close_holes.
std::vector<CellSurface> cut_drawn(const TriMesh& surface, std::span<const ConvexCell> cells, double edge);

/// What is drawn of each piece.
struct DrawnPieces {
  std::vector<PieceSurface> surfaces;            // in single precision, as files hold it
  std::vector<double> volumes;                   // m^3, signed, before rounding
  std::vector<bool> closed;                      // every edge (by place) is used as often one way as the other
  std::map<std::pair<int, int>, Patch> patches;  // of cuts between pieces, where closed surfaces were cut; as piece_patches
};
/// Triangles of the surface from number `closing` on close holes: they are drawn as cut.
DrawnPieces draw_pieces(const CutBody& body, const std::vector<CellSurface>& cells, int closing);

}  // namespace crumple
