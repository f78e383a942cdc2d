#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/cells.h"

namespace crumple {

/// What is enclosed by triangles, and whether they close.
struct ClosedReport {
  double volume = 0;    // m^3, signed: positive if triangles face outwards
  bool closed = false;  // every edge (by place: exactly equal coordinates) is used as often one way as the other; nothing at all is closed
  double gap = 0;       // |integral of the normal|, m^2: 0 if closed
};

/// Measures meshes as one.
ClosedReport measure_closed(std::span<const TriMesh* const> parts);

/// What one cell leaves of a closed surface.
struct SurfaceCut {
  TriMesh skin;              // what was drawn before, with all that the artist gave it
  std::vector<int> source;   // #skin vertices: the vertex of the surface it was, or -1 for one made by a cut
  std::vector<int> triangle; // #skin triangles: the triangle of the surface it was part of
  TriMesh caps;              // closes it along the cell's sides; texture coordinates are metres in the plane of the cut
  std::vector<int> cap_side; // #caps triangles: the side of the cell
  double volume = 0;         // m^3, enclosed by both
  double gap = 0;            // |integral of the normal| over the whole, m^2: 0 if closed
  bool closed = false;       // every edge (by place) is used as often one way as the other
};

/// Cuts a surface exactly by a cell and closes the cuts: plane after plane, each cut closed by a triangulated polygon with holes. Shells that overlap are
/// closed one by one. Caps are divided until no edge is longer than `edge` metres, so that they bend with what they are carried by. The volumes of all cells
/// that fill space sum to that of the surface. An open surface is cut too; it comes out with closed = false.
SurfaceCut cut_surface(const TriMesh& surface, const ConvexCell& cell, double edge);

}  // namespace crumple
