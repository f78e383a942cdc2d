#pragma once

#include <cstddef>
#include <functional>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple {

/// A number for each place: negative inside, positive outside. Called from several threads at once.
using Field = std::function<double(const Vec3&)>;

struct IsosurfaceSettings {
  Bounds box;       // beyond it nothing is inside: what reaches its sides is cut off flat there
  double cell = 0;  // metres: about the length of the triangles' sides. What is thinner may be missed
  /// The field changes by no more than this over a metre: 1 for distances. 0: not known. If it is, only places near the surface are looked at.
  double slope = 0;
  int relax = 8;                   // rounds of making the triangles even
  size_t most_samples = 20000000;  // of the field; a box of more is refused
};

/// The surface of where a field is negative, as a closed mesh: every edge belongs to two triangles, triangles around a vertex form one fan, and all
/// face outward, whatever the field is like. Vertices lie on the surface as nearly as a few secant steps get them there; edges sharper than a cell
/// come out bevelled. The same mesh for any number of threads.
/// One vertex for each sheet of the surface in a cell of a grid, one quadrilateral for each edge of the grid that crosses it: dual marching cubes
/// [Nielson 2004]; ambiguous faces are resolved so that no two sheets meet along an edge [Wenger 2013].
Result<TriMesh> isosurface(const Field& field, const IsosurfaceSettings& settings);

}  // namespace crumple
