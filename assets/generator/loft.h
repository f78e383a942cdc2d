#pragma once

#include "crumple/geometry/mesh.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace crumple::generator {

/// A sheet of points in rows; its front is where columns run to the right and rows run up.
struct Grid {
  int rows = 0, columns = 0;
  std::vector<Vec3> points;  // rows x columns, row after row

  Grid(int rows_, int columns_) : rows(rows_), columns(columns_), points(size_t(rows_) * columns_) {}
  Vec3& at(int row, int column) { return points[size_t(row) * columns + column]; }
  const Vec3& at(int row, int column) const { return points[size_t(row) * columns + column]; }
};

/// The same sheet on the other side of the plane z = 0, with its front outside again.
Grid mirrored(const Grid& grid);

/// A flat sheet between four corners (counter-clockwise from outside), divided evenly or at the given shares from 0 to 1.
Grid flat_grid(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, std::span<const double> across, std::span<const double> upwards);
/// 0, ..., 1 in as many steps as cells of this length need.
std::vector<double> even_shares(double length, double cell);

/// The colour of a cell of a sheet, by its lower left corner.
using CellColor = std::function<Vec3f(int row, int column)>;
CellColor plain(const Vec3f& color);

/// Where a sheet is folded: vertices are doubled along these rows and columns.
struct Folds {
  std::vector<int> rows, columns;
};

/// Adds a sheet. Neighbours share vertices unless their colours differ or a fold parts them; cells without area are left out.
void add_sheet(TriMesh& mesh, const Grid& grid, const CellColor& color, const Folds& folds = {});

/// A box with plane sides that may lean: two rectangles (each counter-clockwise from above), one over the other.
struct Block {
  std::array<Vec3, 4> floor, roof;
};
/// Upright, from the low to the high corner.
Block upright_block(const Vec3& low, const Vec3& high);
/// The sides of an upright block, by where they face.
enum BlockSide { kRight, kAhead, kLeft, kBehind, kRoof, kFloor, kBlockSides };  // +z, +x, -z, -x, +y, -y
std::array<Vec3, 4> side_of(const Block& block, BlockSide side);

/// Adds a block with sharp edges, in cells no longer than `cell`.
void add_block(TriMesh& mesh, const Block& block, double cell, const Vec3f& color);
void add_block(TriMesh& mesh, const Vec3& low, const Vec3& high, double cell, const Vec3f& color);

/// Windows in a wall: a row of them between two heights (shares of the wall), evenly spaced.
struct Windows {
  int count = 0;
  double from = 0.45, to = 0.8;  // shares of the height
  double gap = 0.25;             // between windows, over the width of one
  double border = 0.05;          // at both ends, a share of the width
};
/// Adds a wall between four corners (counter-clockwise from outside) with glazed cells.
void add_wall(TriMesh& mesh, const std::array<Vec3, 4>& corners, const Windows& windows, const Vec3f& wall, const Vec3f& glass);

/// Adds a round bar along a line of points, with flat ends.
void add_bar(TriMesh& mesh, std::span<const Vec3> line, double radius, int sides, const Vec3f& color);
void add_bar(TriMesh& mesh, const Vec3& from, const Vec3& to, double radius, int sides, const Vec3f& color);
/// A bar that tapers, or a disc, or a cone.
void add_cone(TriMesh& mesh, const Vec3& from, const Vec3& to, double from_radius, double to_radius, int sides, const Vec3f& color);
/// A body of revolution with round ends, such as a lifeboat: `blunt` from 1 (an ellipsoid) up.
void add_spindle(TriMesh& mesh, const Vec3& from, const Vec3& to, double up, double across, double blunt, const Vec3f& color, int rings = 8,
                 int sides = 12);
/// A ring such as a tyre or a lifebuoy, about an axis.
void add_ring(TriMesh& mesh, const Vec3& centre, const Vec3& axis, double radius, double thickness, const Vec3f& color, int around = 14,
              int sides = 6);

}  // namespace crumple::generator
