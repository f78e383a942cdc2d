#include "crumple/io/jpeg.h"

#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
#include <jpeglib.h>
// after jpeglib.h, whose types it needs
#include <jerror.h>

namespace crumple::io {
namespace {

constexpr unsigned kLongestJpegSide = 16384;

/// libjpeg leaves by longjmp: nothing with a destructor may be made between setjmp and the end.
struct JpegError {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void leave(j_common_ptr info) {
  auto* error = reinterpret_cast<JpegError*>(info->err);
  (*info->err->format_message)(info, error->message);
  std::longjmp(error->back, 1);
}

/// Torn and damaged data, which libjpeg would fill up with grey. Other warnings are about nothing that is seen.
void warn(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC)) leave(info);
}

bool decode(std::string_view bytes, jpeg_decompress_struct& info, JpegError& error, Picture& picture, std::vector<uint8_t>& row) {
  if (setjmp(error.back)) return false;
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  if (info.image_width > kLongestJpegSide || info.image_height > kLongestJpegSide) {
    std::snprintf(error.message, sizeof error.message, "%u x %u pixels is too large; at most %u a side", info.image_width, info.image_height, kLongestJpegSide);
    return false;
  }
  info.out_color_space = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  picture = Picture(static_cast<int>(info.output_width), static_cast<int>(info.output_height));
  const size_t channels = static_cast<size_t>(info.output_components);
  row.resize(channels * info.output_width);
  while (info.output_scanline < info.output_height) {
    uint8_t* to = picture.pixel(0, static_cast<int>(info.output_scanline));
    JSAMPROW rows[] = {row.data()};
    jpeg_read_scanlines(&info, rows, 1);
    for (size_t x = 0; x < info.output_width; ++x, to += 4) {
      const uint8_t* from = row.data() + channels * x;
      for (size_t c = 0; c < 3; ++c) to[c] = channels == 4 ? static_cast<uint8_t>(from[c] * from[3] / 255) : from[c];  // Adobe's CMYK is inverted
      to[3] = 255;
    }
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

Result<Picture> decode_jpeg(std::string_view bytes, std::string_view file) {
  jpeg_decompress_struct info{};
  JpegError error{};
  info.err = jpeg_std_error(&error.manager);
  error.manager.error_exit = leave, error.manager.emit_message = warn;
  jpeg_create_decompress(&info);
  Picture picture;
  std::vector<uint8_t> row;
  const bool done = decode(bytes, info, error, picture, row);
  jpeg_destroy_decompress(&info);
  if (!done) return input_error(fmt::format("{}: is not a readable JPEG: {}", file, error.message));
  return picture;
}

}  // namespace crumple::io
