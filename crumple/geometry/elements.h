#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// The elements of a mesh, whatever its dimension: tetrahedra, or triangles in the plane z = 0. What computes weights and poses looks at nothing else.
struct Elements {
  std::span<const Vec3> positions;  // #vertices
  std::span<const int> corners;     // #elements x dimension + 1
  int dimension = 3;                // 2: triangles

  Elements() = default;
  Elements(const TetMesh& mesh)  // NOLINT: a mesh of tetrahedra is one of elements
      : positions(mesh.positions), corners(mesh.tets.empty() ? nullptr : mesh.tets[0].data(), 4 * mesh.tets.size()) {}
  /// Of a surface in the plane.
  static Elements flat(const TriMesh& mesh) {
    Elements elements;
    elements.positions = mesh.positions, elements.dimension = 2;
    elements.corners = {mesh.triangles.empty() ? nullptr : mesh.triangles[0].data(), 3 * mesh.triangles.size()};
    return elements;
  }

  size_t each() const { return static_cast<size_t>(dimension) + 1; }
  size_t size() const { return corners.size() / each(); }
  std::span<const int> operator[](size_t element) const { return corners.subspan(element * each(), each()); }
  const char* name() const { return dimension == 3 ? "tetrahedron" : "triangle"; }
  const char* names() const { return dimension == 3 ? "tetrahedra" : "triangles"; }
};

/// Volume of a tetrahedron, area of a triangle as seen from z; negative if it is inside out.
double measure_of(const Elements& elements, std::span<const Vec3> positions, size_t element);
inline double measure_of(const Elements& elements, size_t element) {
  return measure_of(elements, elements.positions, element);
}
/// Vectors across the sides opposite each corner, pointing inwards: area of a face, length of an edge. Their sum is zero; the gradient of a corner's
/// linear function is its vector over `dimension` measures.
std::array<Vec3, 4> inward_sides(const Elements& elements, size_t element);
/// Mean length of the edges, each counted once for every element it belongs to.
double mean_edge(const Elements& elements);
/// An equal share of the mass of every adjacent element.
std::vector<double> lumped_masses(const Elements& elements, double density);

}  // namespace crumple
