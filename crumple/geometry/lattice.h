#pragma once

#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/doctor.h"
#include "crumple/geometry/mesh.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

struct LatticeSettings {
  int cells = 20;        // along the longest side of the surface's box
  double cell_size = 0;  // metres; overrides `cells` if positive
  bool repair = true;    // let the doctor repair a copy of the surface first
  /// Share of the surface that may be thinner than a cell. Such parts are thickened to about a cell; a surface with more of them is
  /// refused, and the error names the cell size it needs. 1 never refuses.
  double thin_allowed = 0.1;
  bool enclose = true;  // grow the body where its tetrahedra would leave the surface outside
};

struct LatticeReport {
  double cell_size = 0;  // metres
  size_t tets = 0, vertices = 0;
  double smallest_angle = 0;  // dihedral, degrees
  double largest_angle = 0;
  double volume = 0;            // of the tetrahedra
  double surface_volume = 0;    // signed volume of the surface; overlaps count twice
  double volume_error = 0;      // (volume - surface_volume) / surface_volume
  double enclosed = 0;          // share of surface vertices inside the tetrahedra, or outside by less than a hundredth of a cell
  double farthest_outside = 0;  // metres: of the surface vertices
  int parts = 0;                // connected bodies of tetrahedra
  int rounds = 0;               // of growing
  double thin_share = 0;        // of the surface's area: thinner than a cell
  double thinnest = 0;          // metres; 0 if nothing is thin
  Vec3 thinnest_at = Vec3::Zero();
  MeshReport surface;  // what the doctor found
  struct Seconds {
    double repair = 0, thickness = 0, sample = 0, stuff = 0, measure = 0;
  } seconds;  // wall time of each stage
};

/// Fills a surface with well-shaped tetrahedra: dihedral angles between 10 and 165 degrees, none inverted, conforming, its
/// boundary a closed manifold. Inside is where the winding number exceeds a half, so small holes and overlapping shells are fine.
Result<TetMesh> fill_with_tets(const TriMesh& surface, const LatticeSettings& settings, LatticeReport& report);

}  // namespace crumple
