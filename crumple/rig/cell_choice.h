#pragma once

#include <cstddef>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// How large the cells of a lattice should be to fill a surface.
struct CellChoice {
  double cell = 0;         // metres
  double wanted = 0;       // what thin parts ask for; less than `cell` if that is not affordable
  double wanted_tets = 0;  // about how many tetrahedra that would be
};

/// The largest cell at which no more than `thin_allowed` of the surface is thinner than one and a half cells, at least 14 along the longest
/// side and about 6000 tetrahedra; but none smaller than about `most_tets` tetrahedra pay for.
CellChoice choose_cell(const TriMesh& surface, double volume, double thin_allowed, size_t most_tets);

}  // namespace crumple
