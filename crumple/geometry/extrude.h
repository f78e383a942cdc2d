#pragma once

#include "crumple/geometry/tet_mesh.h"

#include <span>
#include <vector>

namespace crumple {

/// A triangulation in the plane of x and z.
struct PlanarMesh {
  std::vector<Vec3> points;  // y is 0
  std::vector<Triangle> triangles;
};

/// A disc of nearly equilateral triangles: a centre and `rings` rings, the n-th of 6 n points.
PlanarMesh make_disc(double radius, int rings);

/// A rectangle of cells halved alternately, centred on the origin.
PlanarMesh make_rectangle(double width, double depth, int columns, int rows);

/// Stacks a planar mesh to a solid with one level at each height (rising), every prism between two levels split into three
/// tetrahedra that agree with their neighbours. The vertices of a level are consecutive.
TetMesh extrude(const PlanarMesh& base, std::span<const double> heights);

/// `count` + 1 heights, evenly from -height / 2 to height / 2.
std::vector<double> even_heights(double height, int count);

}  // namespace crumple
