#pragma once

#include <vector>

#include "crumple/rig/score_fragments.h"

namespace crumple {

/// Says to which piece a place within a cell belongs.
class PieceLocator {
 public:
  explicit PieceLocator(const CutBody& body);
  /// For each point the piece of the tetrahedron around or next to it, of those that the cell takes part of; of all, if it takes part of none.
  std::vector<int> pieces_at(int cell, const std::vector<Vec3>& points) const;

 private:
  const CutBody& body_;
  std::vector<std::vector<int>> fragments_;  // #cells: of each
  std::vector<int> only_;                    // #cells: its piece, if it has just one; otherwise -1
};

}  // namespace crumple
