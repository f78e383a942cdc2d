#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "crumple/geometry/cut_tets.h"

namespace crumple {

/// Two fragments of different cells that touch.
struct FragmentContact {
  int from = 0, to = 0;  // fragments
  Patch patch;           // its normal points from `from` to `to`
};

/// All tetrahedra of a body, cut, and how the fragments are grouped into pieces.
struct CutBody {
  const TetMesh& mesh;
  std::span<const ConvexCell> cells;
  double slack = 0;                       // m: nearer is the same place
  std::vector<Fragment> fragments;        // by tetrahedron, then by cell
  std::vector<int> first;                 // #tets + 1: fragments of each
  std::vector<FragmentContact> contacts;  // across cuts, in the order of fragments
  std::vector<int> piece_of;              // #fragments
  int pieces = 0;

  std::span<const Fragment> fragments_of(int tet) const;
};

/// Cuts, and groups what is connected within cells of one label.
CutBody cut_body(const TetMesh& mesh, std::span<const ConvexCell> cells);

/// m^3 of every piece.
std::vector<double> piece_volumes(const CutBody& body);
/// The patches between pieces; the lower comes first, and normals point from it to the other.
std::map<std::pair<int, int>, Patch> piece_patches(const CutBody& body);

struct Merged {
  int count = 0;
  double volume = 0;  // m^3
};
/// Pieces of less than `least` m^3 join the neighbour with which they share the largest patch, the smallest piece first.
Merged merge_slivers(CutBody& body, double least);
/// Pieces that no chain of patches leads to would fall off at once: they join the nearest piece. Returns how many.
int join_islands(CutBody& body);
/// Joins each marked piece to the neighbour with which it shares the largest patch. Returns how many.
int join_marked(CutBody& body, const std::vector<bool>& marked);

}  // namespace crumple
