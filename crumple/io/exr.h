#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/math/types.h"

namespace crumple::io {

/// Vectors as red, green and blue of an OpenEXR picture, in single precision and packed without loss. Rows from the top.
Result<void> write_exr(const std::filesystem::path& file, int width, std::span<const Vec3f> pixels);

struct ExrPicture {
  int width = 0, height = 0;
  std::vector<Vec3f> pixels;
};
Result<ExrPicture> read_exr(const std::filesystem::path& file);

}  // namespace crumple::io
