#pragma once

#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple {

/// One side of a convex cell; inside is normal.x <= offset.
struct HalfSpace {
  Vec3 normal = Vec3::UnitY();  // unit length, points out of the cell
  double offset = 0;            // m
  int beyond = -1;              // the cell on the other side of the whole of this side; -1 if that is not one cell
};

/// A convex part of space: what is inside all sides. A cell without sides is all of space.
struct ConvexCell {
  std::vector<HalfSpace> sides;
  int label = 0;  // cells with equal labels are one piece where they touch
};

/// A cutting plane normal.x = offset.
struct CutPlane {
  Vec3 normal = Vec3::UnitY();
  double offset = 0;
};

/// The cells into which planes divide the box (up to n^3 / 6 for n planes); those that miss it are left out, as are planes twice or without a normal.
/// Each has a label of its own.
std::vector<ConvexCell> cells_between_planes(std::span<const CutPlane> planes, const Bounds& box);

/// The Voronoi cells of seeds, one each, labelled by seed. Sides that do not touch their cell within the box are left out. Of seeds in one place the
/// first has the cell; those without one within the box get a cell that misses it.
std::vector<ConvexCell> voronoi_cells(std::span<const Vec3> seeds, const Bounds& box);

/// Cells from closed convex shells drawn by an artist, each with the label given for it, and convex cells of one further label for what they leave of
/// the box. A shell is one cell unless it overlaps an earlier one by a trifle, which is then cut off it. Sides of different shells along one plane
/// become the same plane. Shells that are open, not convex, outside the box or overlap are refused with what was found and where.
Result<std::vector<ConvexCell>> cells_of_shells(std::span<const TriMesh> shells, std::span<const int> labels, const Bounds& box);

}  // namespace crumple
