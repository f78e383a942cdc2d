#pragma once

#include <string_view>

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

inline constexpr double kFarthest = 1e7;  // m: beyond, single precision resolves no better than a metre

/// What every asset must fulfil wherever it comes from. Cleans what is only noise (inside-out tetrahedra, weights that miss
/// their sum by rounding, the sign and length of quaternions) and refuses what is wrong. `name` is the file's, for messages.
Result<void> check_asset(Asset& asset, std::string_view name);

/// The part of it about pieces; the asset has some and is fine otherwise.
Result<void> check_pieces(const Asset& asset, std::string_view name);
/// Whether a surface's indices and numbers are sane; it may be empty. The message does not name a file.
Result<void> check_mesh(const TriMesh& mesh);

/// Turns every inside-out tetrahedron round; corners must be in range.
void orient_tets(TetMesh& mesh);

/// The boundary of well-oriented tetrahedra as a surface of its own.
TriMesh boundary_surface(const TetMesh& mesh);

}  // namespace crumple::io
