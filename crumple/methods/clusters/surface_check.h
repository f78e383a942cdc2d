#pragma once

#include "crumple/methods/clusters/surface.h"

namespace crumple::clusters {

/// How well a drawn frame shows what is simulated. All but `edges` and `area` are 0 for a perfect one, and `drawn` equals `simulated`.
struct SurfaceCheck {
  int simulated = 0;        // pieces of the state
  int drawn = 0;            // solids
  int mixed = 0;            // solids with particles of several pieces
  int divided = 0;          // pieces drawn as several solids
  int unseen = 0;           // pieces without a solid
  int strays = 0;           // particles in a solid that belongs to another piece
  int64_t edges = 0;        // of drawn triangles, each counted from both sides
  int64_t long_edges = 0;   // more than kLongEdge times as long as local strain explains
  double worst_edge = 0;    // longest edge, relative to what local strain explains
  double longest_edge = 0;  // m, of the long ones
  double area = 0;          // m^2, drawn
  double long_area = 0;     // m^2, of triangles with a long edge
  double empty_area = 0;    // m^2, of triangles without a particle of their piece nearby
};

inline constexpr double kLongEdge = 3;

/// Measures an up-to-date surface and its places.
SurfaceCheck check_surface(const Model& model, const SurfaceModel& surface_model, const State& state, const Surface& surface,
                           const PosedSurface& posed);

}  // namespace crumple::clusters
