#pragma once

#include <string>
#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// PLY, text or binary little endian: positions, faces (polygons cut into fans), colours and texture coordinates if given.
/// Colours are display values (sRGB) in the file and linear here. `name` is the file's, for messages.
Result<TriMesh> parse_ply(std::string_view bytes, std::string_view name);

/// Binary little endian, 32-bit floats; with vertex colours and texture coordinates if the mesh has them.
std::string write_ply(const TriMesh& mesh);

}  // namespace crumple::io
