#pragma once

#include <filesystem>
#include <span>

#include "crumple/io/gltf_shapes.h"

namespace crumple::io {

/// A rest shape and examples of it, each in a file of its own; or one glTF file that holds all. Examples are named after their files. The
/// rest shape's creases and texture seams are kept: in OBJ files vertices belong together by their number in the file, whatever normals and
/// texture coordinates each file gives them. Files with other numbers of vertices are refused; so are those whose triangles
/// join other vertices, because then the vertices have been renumbered.
Result<ShapeSet> read_shape_files(std::span<const std::filesystem::path> files, const ShapeSettings& settings = {});

}  // namespace crumple::io
