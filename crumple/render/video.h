#pragma once

#include <filesystem>
#include <memory>

#include "crumple/core/result.h"
#include "crumple/io/image.h"

namespace crumple::render {

/// Makes an .mp4 of pictures with the `ffmpeg` program. The file appears under its name when it is finished and not before.
class VideoWriter {
 public:
  /// All pictures must have this size. Videos have even sizes: an odd last row or column is shown twice.
  static Result<VideoWriter> create(const std::filesystem::path& file, int width, int height, double fps);
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;
  /// Without finish(), nothing is left behind.
  ~VideoWriter();

  Result<void> add(const io::Image& image);
  Result<void> finish();

 private:
  struct Encoder;
  explicit VideoWriter(std::unique_ptr<Encoder> encoder);
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace crumple::render
