#pragma once

#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// A linear function: of a place x it is coefficients.head<3>.x + coefficients[3], of barycentric coordinates their dot product with the values at
/// the four corners. A half-space is where it is not positive.
using Linear = Eigen::Vector4d;

/// A convex solid that is cut by one half-space after another. Points are places (N = 3) or barycentric coordinates in a tetrahedron (N = 4).
///
/// Rounding never tears it: faces stay closed loops, and what a cut opens is closed by the edges that only one face uses, so every edge is used once
/// each way whatever the signs of points near a plane came out as.
template <int N>
struct ConvexPolyhedron {
  using Point = Eigen::Matrix<double, N, 1>;
  struct Face {
    int tag = 0;             // origin of the face, as given by the caller
    int begin = 0, end = 0;  // into `corners`
  };
  enum class Place { Inside, Across, Outside };

  std::vector<Point> points;
  std::vector<int> corners;  // faces' loops of points, counter-clockwise from outside
  std::vector<Face> faces;

  bool empty() const { return faces.empty(); }
  double value(const Linear& side, int point) const;
  /// Where it lies as to a half-space; points within `tolerance` of its plane do not count.
  Place place(const Linear& side, double tolerance) const;
  /// Keeps what is inside. Points within `tolerance` of the plane count as on it. The new face gets the tag. False if nothing is left.
  bool clip(const Linear& side, double tolerance, int tag);
};

extern template struct ConvexPolyhedron<3>;
extern template struct ConvexPolyhedron<4>;

/// All faces have the tag -1.
ConvexPolyhedron<3> box_polyhedron(const Bounds& box);
/// The face opposite corner i has the tag i.
ConvexPolyhedron<4> tet_polyhedron();

struct SolidMeasure {
  double volume = 0;
  Vec3 center = Vec3::Zero();
};
/// Of the last three coordinates; a whole tetrahedron in barycentric coordinates has a volume of 1/6.
template <int N>
SolidMeasure measure(const ConvexPolyhedron<N>& solid);
extern template SolidMeasure measure(const ConvexPolyhedron<3>& solid);
extern template SolidMeasure measure(const ConvexPolyhedron<4>& solid);

}  // namespace crumple
