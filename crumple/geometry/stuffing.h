#pragma once

#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// A body-centred cubic lattice: the corners of a box of cubes, then the centres of the cubes. Long edges join corners (or centres)
/// along the axes, short ones join a centre to the corners of its cube.
struct BccLattice {
  Vec3 origin = Vec3::Zero();
  double cell = 1;
  std::array<int, 3> cells = {0, 0, 0};

  int corner(int x, int y, int z) const { return (z * (cells[1] + 1) + y) * (cells[0] + 1) + x; }
  int center(int x, int y, int z) const { return corners() + (z * cells[1] + y) * cells[0] + x; }
  int corners() const { return (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1); }
  int size() const { return corners() + cells[0] * cells[1] * cells[2]; }
  bool is_corner(int point) const { return point < corners(); }
  /// In half cells: even numbers for corners, odd ones for centres.
  std::array<int, 3> halves(int point) const;
  Vec3 position(int point) const;
  /// The point at these half cells, or -1 outside the lattice.
  int at(const std::array<int, 3>& halves) const;
};

/// The tetrahedra of a lattice that fill where `values` is positive.
struct Stuffing {
  TetMesh mesh;
  std::vector<int> lattice_point;  // #vertices of the mesh: the (perhaps warped) lattice point, or -1 for a cut of an edge
  std::vector<Triangle> boundary;  // as boundary_faces gives it, but in less time
};

/// Isosurface stuffing: lattice points near the zero surface move onto it, tetrahedra across it are trimmed by stencils. Every
/// dihedral angle lies within about [10.7, 164.8] degrees whatever the values are. Values on the outermost lattice points must not
/// be positive. [Labelle and Shewchuk 2007]
Stuffing stuff(const BccLattice& lattice, std::vector<double> values);

}  // namespace crumple
