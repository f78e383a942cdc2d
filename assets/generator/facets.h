#pragma once

#include "crumple/geometry/mesh.h"

#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace crumple::generator {

/// Adds painted faces to a mesh. Corners in one place become one vertex if they belong to the same patch: a patch is smooth and of
/// one colour, edges between patches are creases. Faces without area are left out, so points of a grid may coincide.
class Facets {
 public:
  explicit Facets(TriMesh& mesh) : mesh_(mesh) {}

  /// Begins a patch; faces belong to it from now on. Its number serves to go on with it later.
  int patch(const Vec3f& color);
  /// Begins a patch of the same colour.
  int patch() { return patch(colors_[size_t(current_)]); }
  void resume(int patch) { current_ = patch; }

  /// Counter-clockwise from outside.
  void triangle(const Vec3& a, const Vec3& b, const Vec3& c);
  void quad(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

 private:
  int vertex(const Vec3& point);

  TriMesh& mesh_;
  int current_ = 0;
  std::vector<Vec3f> colors_;                                      // #patches
  std::map<std::pair<int, std::array<double, 3>>, int> vertices_;  // of each patch and place
};

/// Where the parts of a mesh that were added since then begin.
struct Mark {
  size_t vertices = 0, triangles = 0;
};
inline Mark mark(const TriMesh& mesh) {
  return {mesh.positions.size(), mesh.triangles.size()};
}
/// Moves everything added since.
void move_since(TriMesh& mesh, const Mark& mark, const Transform& place);
/// Adds a copy of everything added since, mirrored to the other side of the plane z = 0.
void mirror_since(TriMesh& mesh, const Mark& mark);
/// Paints what other functions added without colour.
void paint_rest(TriMesh& mesh, const Vec3f& color);

/// A place on a surface: u and v within it, `out` metres in front of it.
using Chart = std::function<Vec3(double u, double v, double out)>;

/// A plate that lies on a chart, over u and v from `low` to `high`: its face `front` metres before the surface, its back `back`
/// metres (negative: hidden behind). u to the right and v up as seen from outside. The face is set in by `bevel` (in u, v).
struct Plate {
  std::array<double, 2> low = {0, 0}, high = {1, 1};
  double front = 0.01, back = -0.02;
  std::array<double, 2> bevel = {0, 0};
  int columns = 1, rows = 1;
};
void add_plate(Facets& facets, const Chart& chart, const Plate& plate);

/// A closed outline (counter-clockwise as seen from the end of the path, in x and y of each place) swept along places, with caps. A
/// crease runs along every point of the outline unless it is `smooth`.
void add_sweep(Facets& facets, std::span<const Transform> path, std::span<const std::array<double, 2>> outline, bool smooth);

/// A prism of `sides` around the line between two points, in as many segments as given; `radius` is that of its corners.
void add_strut(Facets& facets, const Vec3& from, const Vec3& to, double radius, int sides, int segments = 1, bool smooth = true);

/// A box between two corners.
void add_block(Facets& facets, const Vec3& low, const Vec3& high, const Transform& place = {});

}  // namespace crumple::generator
