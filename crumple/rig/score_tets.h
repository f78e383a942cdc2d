#pragma once

#include <vector>

#include "crumple/rig/asset.h"
#include "crumple/rig/score_fragments.h"

namespace crumple {

/// The tetrahedra of a scored body: every piece has copies of its own, one piece after the other.
struct TetCopies {
  TetMesh mesh;
  Pieces pieces;               // all but surfaces and links
  std::vector<int> source;     // #vertices: the one of the unscored body that each copies
  std::vector<double> filled;  // #pieces, m^3
};
TetCopies copy_tets(const CutBody& body);

}  // namespace crumple
