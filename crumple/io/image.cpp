#include "crumple/io/image.h"

#include "crumple/io/files.h"

#include <fmt/format.h>
#include <png.h>

namespace crumple::io {
namespace {

constexpr int kLongestSide = 16384;  // of pictures we read: 0.8 GB at most

/// libpng's simple interface reports through this; freeing is safe at any time.
struct PngImage {
  png_image control{};
  PngImage() { control.version = PNG_IMAGE_VERSION; }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&control); }
};

}  // namespace

Result<std::string> encode_png(const Image& image) {
  if (image.width <= 0 || image.height <= 0 || image.rgb.size() != size_t{3} * image.width * image.height) {
    return input_error(fmt::format("a picture of {} x {} pixels with {} bytes cannot be written", image.width, image.height, image.rgb.size()));
  }
  PngImage png;
  png.control.width = static_cast<png_uint_32>(image.width);
  png.control.height = static_cast<png_uint_32>(image.height);
  png.control.format = PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png.control), '\0');
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&png.control, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr)) {
    return system_error(fmt::format("encoding a PNG failed: {}", png.control.message));
  }
  bytes.resize(size);
  return bytes;
}

Result<Image> decode_png(std::string_view bytes, std::string_view file) {
  PngImage png;
  if (!png_image_begin_read_from_memory(&png.control, bytes.data(), bytes.size())) {
    return input_error(fmt::format("{}: is not a readable PNG: {}", file, png.control.message));
  }
  if (png.control.width > kLongestSide || png.control.height > kLongestSide) {
    return input_error(fmt::format("{}: {} x {} pixels is too large; at most {} a side", file, png.control.width, png.control.height, kLongestSide));
  }
  png.control.format = PNG_FORMAT_RGB;
  Image image(static_cast<int>(png.control.width), static_cast<int>(png.control.height));
  const png_color white = {255, 255, 255};
  if (!png_image_finish_read(&png.control, &white, image.rgb.data(), 0, nullptr)) {
    return input_error(fmt::format("{}: is a broken PNG: {}", file, png.control.message));
  }
  return image;
}

Result<void> write_png(const std::filesystem::path& file, const Image& image) {
  const Result<std::string> bytes = encode_png(image);
  if (!bytes) return Error{bytes.error().kind, fmt::format("{}: {}", file.string(), bytes.error().text)};
  return write_file(file, *bytes);
}

Result<Image> read_png(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return bytes.error();
  return decode_png(*bytes, file.string());
}

}  // namespace crumple::io
