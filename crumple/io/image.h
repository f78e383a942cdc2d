#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"

namespace crumple::io {

/// A picture: rows from the top, three bytes a pixel (sRGB red, green, blue), no padding.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // 3 * width * height

  Image() = default;
  Image(int width_, int height_) : width(width_), height(height_), rgb(size_t{3} * width_ * height_) {}

  uint8_t* pixel(int x, int y) { return rgb.data() + 3 * (static_cast<size_t>(y) * width + x); }
  const uint8_t* pixel(int x, int y) const { return rgb.data() + 3 * (static_cast<size_t>(y) * width + x); }
  bool operator==(const Image&) const = default;
};

Result<std::string> encode_png(const Image& image);
/// `file` is named in errors. Any kind of PNG is turned into RGB; see-through pixels show white behind.
Result<Image> decode_png(std::string_view bytes, std::string_view file);

/// The same with transparency.
Result<std::string> encode_png(const Picture& picture);
Result<Picture> decode_picture(std::string_view bytes, std::string_view file);
/// A PNG or a JPEG, by its first bytes.
Result<Picture> decode_any_picture(std::string_view bytes, std::string_view file);
/// "image/png" or "image/jpeg", by its first bytes.
std::string mime_of(std::string_view bytes);

/// Three 16-bit numbers a pixel that are no colours, and stay as they are.
Result<std::string> encode_png16(int width, int height, const std::vector<uint16_t>& numbers);
Result<std::vector<uint16_t>> decode_png16(std::string_view bytes, std::string_view file);

Result<void> write_png(const std::filesystem::path& file, const Image& image);
Result<void> write_png(const std::filesystem::path& file, const Picture& picture);
Result<Picture> read_picture(const std::filesystem::path& file);
Result<Image> read_png(const std::filesystem::path& file);

}  // namespace crumple::io
