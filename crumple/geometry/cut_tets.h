#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/cells.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// A face of a fragment on a side of its cell.
struct FragmentFace {
  int side = 0;            // of the cell
  int tet_face = -1;       // the face of the tetrahedron that it lies in (opposite corner 0..3): then it counts in face_areas too; -1 inside
  std::vector<Vec3> loop;  // convex, counter-clockwise from outside
};

/// What one cell leaves of one tetrahedron: a convex solid.
struct Fragment {
  int tet = 0, cell = 0;
  double volume = 0;                           // m^3
  std::array<double, 4> center = {};           // barycentric, of its centre of mass
  bool whole = false;                          // the whole tetrahedron, with no corner on a cut
  std::vector<std::array<double, 4>> corners;  // barycentric; empty if whole
  /// Per corner: d times this moves it inwards by d from every cut it lies on (by at least d where more than three meet); zero off all cuts. Sides
  /// towards cells of the same label are no cuts. At most kLongestInward long: corners sharper than that move in by less.
  std::vector<Vec3> inward;
  std::vector<FragmentFace> cuts;
  std::array<double, 4> face_areas = {};  // m^2 of the fragment on each face of the tetrahedron (opposite corner 0..3)
};

inline constexpr double kLongestInward = 10;

/// Cuts every tetrahedron exactly by every cell, in order of tetrahedra, then of cells. The fragments of a tetrahedron fill it: their volumes sum to
/// its volume, and so do volume-weighted centres. A corner of the mesh nearer to a plane than `slack` metres counts as on it (nothing is moved),
/// unless the plane runs along the outside of the mesh's box. Sides of different cells along one plane must be the same numbers up to their sign.
/// Cells are taken to fill the mesh's box; what is in none is in no fragment. Fragments of less than 1e-15 of their tetrahedron are left out.
std::vector<Fragment> cut_tets(const TetMesh& mesh, std::span<const ConvexCell> cells, double slack);

/// Area, centre and mean of d d^T of the patch that two fragments of one tetrahedron share, summed into one patch.
struct Patch {
  double area = 0;             // m^2
  Vec3 first = Vec3::Zero();   // integral of x
  Mat3 second = Mat3::Zero();  // integral of x x^T
  Vec3 normal = Vec3::Zero();  // integral of the normal
  void add_triangle(const Vec3& a, const Vec3& b, const Vec3& c);
  void add(const Patch& other);
};

/// The patch shared by two fragments that lie in different cells; its normal points from the first to the second. They may belong to one tetrahedron
/// or to two that share a face along a cut.
Patch shared_patch(const Fragment& from, const ConvexCell& from_cell, const Fragment& to, const ConvexCell& to_cell);

}  // namespace crumple
