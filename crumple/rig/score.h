#pragma once

#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/cells.h"
#include "crumple/rig/asset.h"

namespace crumple {

struct ScoreSettings {
  double sliver = 1e-4;  // of the body's volume: what is smaller becomes part of the neighbour it shares most with
  int most = 64;         // pieces
  SurfaceMaterial cut = Pieces().cut;  // of broken faces; their texture coordinates are metres
  std::vector<bool> whole = {};        // #triangles of the surface: connected parts of it that are not cut, but go to one piece; empty: none
};

/// What came of scoring.
struct ScoreReport {
  struct Piece {
    double volume = 0;      // m^3, enclosed by what is drawn of it
    double tet_volume = 0;  // m^3, of the parts of tetrahedra that it fills
    bool closed = false;    // what is drawn of it is closed, and encloses volume from outside
    int links = 0;
  };
  std::vector<Piece> pieces;
  std::vector<bool> rough_links;           // #links: what is drawn says nothing about it, its patch is that of the tetrahedra
  int slivers = 0;                         // too small for a piece of their own
  double sliver_volume = 0;                // m^3
  int joined = 0;                          // parts that touched no other, or of which nothing was drawn: joined to the nearest
  int holes = 0;                           // loops of open edges in what is drawn: pieces are closed across them
  double volume = 0, tet_volume = 0;       // m^3, of the whole
  double volume_error = 0, tet_error = 0;  // relative: what all pieces together miss of the whole
};

/// Cuts an asset into the pieces that the cells leave of it: exactly, through tetrahedra and through what is drawn. Parts of one cell that do not
/// touch are pieces of their own. The cells must fill the space that the body takes. On an error the asset is as it was.
Result<ScoreReport> score_asset(Asset& asset, std::span<const ConvexCell> cells, const ScoreSettings& settings = {});

}  // namespace crumple
