#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

/// Maps of depths, and what is done to them. Values lie at the middles of cells.
namespace crumple::dents {

/// Coordinates of a press: x and y across it, w along the way that it goes. Lines along w are parallel to `way`, which may be slanted against the plane
/// of x and y: points move on parallel lines, and nothing folds.
struct PressFrame {
  Vec3 origin = Vec3::Zero();
  Vec3 x = Vec3::UnitX(), y = Vec3::UnitY();  // in the plane of contact
  Vec3 normal = Vec3::UnitZ();                // x cross y, into the body
  Vec3 way = Vec3::UnitZ();                   // of length 1
  Mat3 matrix = Mat3::Identity();             // takes what is seen from the origin to x, y, w

  Vec3 to_press(const Vec3& p) const { return matrix * (p - origin); }
};

/// A frame at a point, by the inward normal and the way, which is kept within `steepest` (radians) of the normal.
PressFrame press_frame(const Vec3& origin, const Vec3& normal, const Vec3& way, double steepest);

struct Grid {
  int nx = 0, ny = 0;
  double cell = 0;      // m
  double x0 = 0, y0 = 0;  // lower corner
  size_t size() const { return static_cast<size_t>(nx) * static_cast<size_t>(ny); }
  size_t at(int i, int j) const { return static_cast<size_t>(j) * static_cast<size_t>(nx) + static_cast<size_t>(i); }
};

/// A grid over a rectangle, with cells of about `cell`, at most `most` along a side.
Grid grid_over(double x0, double x1, double y0, double y1, double cell, int most);

using Map = std::vector<double>;

enum class Keep { Least, Most };

/// No surface in a cell.
inline constexpr double kNone = -1e300;

/// Which triangles to draw: all, or those that face the press.
enum class Facing { Any, Against };

/// Least or greatest w of the triangles in each cell; cells that none covers keep what they have. Points are in press coordinates. Where less than
/// `from`, it is as if it were not there.
void rasterise(const Grid& grid, std::span<const Vec3> points, std::span<const Triangle> triangles, Keep keep, Facing facing, double from, Map& map);

/// Upper envelope of a Gaussian of width sigma on every cell: max over q of z_q exp(-|p - q|^2 / 2 sigma^2). Separable and exact: its logarithm is a
/// distance transform of parabolas, one sweep each way, linear in the number of cells. Cells of 0 raise nothing.
Map gauss_envelope(const Grid& grid, const Map& map, double sigma);

/// Explicit heat steps that blur by `length` (standard deviation of the Gaussian that they amount to), or by as much as a bounded number of steps
/// can. With `only_up`, no cell falls.
void spread_heat(const Grid& grid, Map& map, double length, bool only_up);

/// Between the middles of cells; 0 outside.
double sample(const Grid& grid, const Map& map, double x, double y);

}  // namespace crumple::dents
