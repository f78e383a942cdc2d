#pragma once

#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// STL, binary or text (told by their sizes: binary files may begin with "solid", too). The format lists three corners for every facet;
/// those in one place become one vertex again, except across creases. Corners may not be finite: see read_model. `name` is the file's,
/// for messages.
Result<TriMesh> parse_stl(std::string_view bytes, std::string_view name);

}  // namespace crumple::io
