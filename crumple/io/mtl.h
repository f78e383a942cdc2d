#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"
#include "crumple/io/picture_files.h"

namespace crumple::io {

/// Materials of Wavefront OBJ files. Colours are linear, as Blender reads and writes them; highlights (Ns) become roughness; metalness and roughness
/// are read where they are given (Pm, Pr). Pictures lie in `folder` or below. `lost` gets what could not be kept, each by name.
Result<Materials> parse_mtl(std::string_view text, std::string_view name, const std::filesystem::path& folder, std::vector<std::string>& lost);

/// The same as a text; pictures go to the folder of the file.
std::string write_mtl(const Materials& materials, PictureFiles& pictures);

}  // namespace crumple::io
