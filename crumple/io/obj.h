#pragma once

#include <string>
#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// Wavefront OBJ: all faces as one surface, polygons cut into fans. Vertices are doubled where texture coordinates or normals
/// differ. Texture coordinates run downwards afterwards, as in glTF. Colours after the coordinates ("v x y z r g b", 0 to 1 as on a
/// screen) are kept if every vertex has them. `name` is the file's, for messages.
Result<TriMesh> parse_obj(std::string_view text, std::string_view name);
/// The same with the vertices exactly as the file lists them: positions only, none doubled, unused ones kept. Triangles and their corners
/// come in the same order as parse_obj gives them.
Result<TriMesh> parse_obj_vertices(std::string_view text, std::string_view name);
std::string write_obj(const TriMesh& mesh);

}  // namespace crumple::io
