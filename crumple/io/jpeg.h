#pragma once

#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"

namespace crumple::io {

/// `file` is named in errors. Grey, coloured and CMYK pictures are turned into RGB.
Result<Picture> decode_jpeg(std::string_view bytes, std::string_view file);

}  // namespace crumple::io
