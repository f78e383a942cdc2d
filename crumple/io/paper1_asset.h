#pragma once

#include <filesystem>

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// True if the folder holds an asset as the authors of "Example-based Plastic Deformation of Rigid Bodies" published theirs.
bool is_authors_asset(const std::filesystem::path& folder);

/// Reads such a folder: mesh.mesh, coarseWeights.dmat, bone_roots.bf and exampleGraph.txt, with mesh.obj as the visible surface
/// if it is there, and pieces along its planes if it has any (paper1_pieces.h). Lengths stay in the folder's own units; see scale_asset.
Result<Asset> read_paper1_asset(const std::filesystem::path& folder);

}  // namespace crumple::io
