#pragma once

#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/tet_mesh.h"

namespace crumple::io {

/// The vertices and tetrahedra of a MEDIT text file (.mesh), in its own units and with its own orientation of tetrahedra;
/// triangles and the like are skipped. `name` is the file's, for messages.
Result<TetMesh> parse_medit(std::string_view text, std::string_view name);

}  // namespace crumple::io
