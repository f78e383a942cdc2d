#include "crumple/io/image.h"

#include "crumple/io/files.h"
#include "crumple/io/jpeg.h"

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

template <class Number>
Result<std::string> encode(int width, int height, const std::vector<Number>& pixels, png_uint_32 format) {
  if (width <= 0 || height <= 0 || pixels.size() != PNG_IMAGE_SAMPLE_CHANNELS(format) * static_cast<size_t>(width) * static_cast<size_t>(height)) {
    return input_error(fmt::format("a picture of {} x {} pixels with {} numbers cannot be written", width, height, pixels.size()));
  }
  PngImage png;
  png.control.width = static_cast<png_uint_32>(width);
  png.control.height = static_cast<png_uint_32>(height);
  png.control.format = format;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png.control), '\0');
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&png.control, bytes.data(), &size, 0, pixels.data(), 0, nullptr)) {
    return system_error(fmt::format("encoding a PNG failed: {}", png.control.message));
  }
  bytes.resize(size);
  return bytes;
}

/// Reads into what make(width, height) returns.
template <class Make>
Result<void> decode(std::string_view bytes, std::string_view file, png_uint_32 format, const Make& make) {
  PngImage png;
  if (!png_image_begin_read_from_memory(&png.control, bytes.data(), bytes.size())) {
    return input_error(fmt::format("{}: is not a readable PNG: {}", file, png.control.message));
  }
  if (png.control.width > kLongestSide || png.control.height > kLongestSide) {
    return input_error(fmt::format("{}: {} x {} pixels is too large; at most {} a side", file, png.control.width, png.control.height, kLongestSide));
  }
  png.control.format = format;
  const png_color white = {255, 255, 255};
  auto& pixels = make(static_cast<int>(png.control.width), static_cast<int>(png.control.height));
  if (!png_image_finish_read(&png.control, &white, pixels.data(), 0, nullptr)) {
    return input_error(fmt::format("{}: is a broken PNG: {}", file, png.control.message));
  }
  return {};
}

}  // namespace

Result<std::string> encode_png(const Image& image) {
  return encode(image.width, image.height, image.rgb, PNG_FORMAT_RGB);
}

Result<std::string> encode_png(const Picture& picture) {
  return encode(picture.width, picture.height, picture.rgba, PNG_FORMAT_RGBA);
}

Result<std::string> encode_png16(int width, int height, const std::vector<uint16_t>& numbers) {
  return encode(width, height, numbers, PNG_FORMAT_LINEAR_RGB);
}

Result<std::vector<uint16_t>> decode_png16(std::string_view bytes, std::string_view file) {
  std::vector<uint16_t> numbers;
  const Result<void> done = decode(bytes, file, PNG_FORMAT_LINEAR_RGB, [&](int width, int height) -> std::vector<uint16_t>& {
    numbers.resize(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height));
    return numbers;
  });
  if (!done) return done.error();
  return numbers;
}

Result<Image> decode_png(std::string_view bytes, std::string_view file) {
  Image image;
  const Result<void> done = decode(bytes, file, PNG_FORMAT_RGB, [&](int width, int height) -> std::vector<uint8_t>& { return (image = Image(width, height)).rgb; });
  if (!done) return done.error();
  return image;
}

Result<Picture> decode_picture(std::string_view bytes, std::string_view file) {
  Picture picture;
  const Result<void> done = decode(bytes, file, PNG_FORMAT_RGBA, [&](int width, int height) -> std::vector<uint8_t>& { return (picture = Picture(width, height)).rgba; });
  if (!done) return done.error();
  return picture;
}

std::string mime_of(std::string_view bytes) {
  return bytes.starts_with("\xFF\xD8") ? "image/jpeg" : "image/png";
}

Result<Picture> decode_any_picture(std::string_view bytes, std::string_view file) {
  return bytes.starts_with("\xFF\xD8") ? decode_jpeg(bytes, file) : decode_picture(bytes, file);
}

namespace {

template <class Pixels>
Result<void> write_any(const std::filesystem::path& file, const Pixels& pixels) {
  const Result<std::string> bytes = encode_png(pixels);
  if (!bytes) return Error{bytes.error().kind, fmt::format("{}: {}", file.string(), bytes.error().text)};
  return write_file(file, *bytes);
}

}  // namespace

Result<void> write_png(const std::filesystem::path& file, const Image& image) {
  return write_any(file, image);
}

Result<void> write_png(const std::filesystem::path& file, const Picture& picture) {
  return write_any(file, picture);
}

Result<Image> read_png(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return bytes.error();
  return decode_png(*bytes, file.string());
}

Result<Picture> read_picture(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) return bytes.error();
  return decode_picture(*bytes, file.string());
}

}  // namespace crumple::io
