#pragma once

#include <span>
#include <utility>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/tet_mesh.h"
#include "crumple/rig/skeleton.h"

namespace crumple {

/// How points follow pieces: for each point some pieces with their shares, which sum to 1, the greatest first.
struct PieceShares {
  std::vector<int> first;    // #points + 1
  std::vector<int> piece;
  std::vector<float> share;

  size_t points() const { return first.empty() ? 0 : first.size() - 1; }
  void begin_point() { first.push_back(static_cast<int>(piece.size())); }
};

/// Where two pieces can turn against each other.
struct DivisionLink {
  int a = 0, b = 0;
  bool is_inner = false;          // between two segments of one bone
  Vec3 at = Vec3::Zero();         // middle of the section
  Vec3 along = Vec3::UnitX();     // square to the section, from a to b
  double area = 0;                // m^2, of the section
  Mat3 spread = Mat3::Zero();     // mean of d d^T over the section, d from its middle, m^2
};

/// A body divided into pieces by a skeleton. Nothing is cut: every tetrahedron and every vertex belongs to the piece that it follows most, and what is
/// drawn follows several (paper 3, section 4).
struct Division {
  std::vector<int> of_tet, of_vertex;
  PieceShares shares;             // of the vertices
  std::vector<int> bone;          // #pieces: of the skeleton; nodes where several bones meet are bones of their own, after the others
  std::vector<double> thickness;  // #pieces, m: side of a square as large as the section
  std::vector<DivisionLink> links;

  int count() const { return static_cast<int>(bone.size()); }
};

/// Each bone of the skeleton is a piece, or several: segments about as long as `spacing` thicknesses (0: one). So is each node where three or more meet.
/// Shares are bounded biharmonic weights of the bones, times smooth steps along each bone.
Result<Division> divide_by_skeleton(const TetMesh& mesh, const Skeleton& skeleton, double spacing);

/// Each handle of a rig is a piece. `weights`: #vertices x #handles, row after row.
Result<Division> divide_by_handles(const TetMesh& mesh, std::span<const float> weights, size_t handles);

/// Vertices renumbered: `place` says where each goes.
void reorder(Division& division, std::span<const int> place);

}  // namespace crumple
