#pragma once

#include <filesystem>
#include <limits>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/cells.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// Pieces as the authors of paper 1 have them: tetrahedra that a cut crosses are in both pieces, and count half in each.
struct Paper1Piece {
  std::vector<Tetrahedron> tets;  // of the mesh's own vertices
  std::vector<uint8_t> is_cut;    // #tets
};

/// tetmesh.N.txt and cutTets.N.txt, N = 0, 1, ... Empty if there are none.
Result<std::vector<Paper1Piece>> read_paper1_pieces(const std::filesystem::path& folder, const Asset& asset);

/// The planes along which a body breaks: planes.txt, or those that the cut faces in clippingTriangles.N.ply lie in. Empty if there are none.
Result<std::vector<CutPlane>> read_paper1_planes(const std::filesystem::path& folder);

/// What their scenes call the place of a body: the centre of mass; of a body in pieces the sum of the pieces' centres. In units of the folder.
Vec3 paper1_center(const Asset& asset, const std::vector<Paper1Piece>& pieces);

/// Of links within one of the authors' pieces.
inline constexpr double kPaper1Never = std::numeric_limits<double>::infinity();

/// N s/m^2 for each link of the asset, at which it bears what theirs bear: one ball joint for each vertex that two pieces share, each of which breaks at
/// `threshold` N s along an axis. The asset is as large as in its scene.
std::vector<double> paper1_strengths(const Asset& asset, const std::vector<Paper1Piece>& pieces, double threshold);

}  // namespace crumple::io
