#pragma once

#include <filesystem>
#include <memory>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"
#include "crumple/io/image.h"

namespace crumple::render {

/// Whether a file of that name is a film: .mp4, .gif or .webp.
bool is_film(const std::filesystem::path& file);
/// Whether pictures of such a film may be transparent.
bool can_be_transparent(const std::filesystem::path& film);

/// Makes a film of pictures with the `ffmpeg` program: an .mp4, or a .gif or .webp that repeats for ever. The file appears under its name when it is
/// finished and not before.
class VideoWriter {
 public:
  /// All pictures must have this size. An .mp4 has even sizes: an odd last row or column is shown twice. A .gif shows at most 50 pictures a second and
  /// leaves out what is more.
  static Result<VideoWriter> create(const std::filesystem::path& file, int width, int height, double fps);
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;
  /// Without finish(), nothing is left behind.
  ~VideoWriter();

  Result<void> add(const io::Image& image);
  /// With transparency, where the format has it; white shows through elsewhere.
  Result<void> add(const Picture& picture);
  Result<void> finish();

 private:
  struct Encoder;
  explicit VideoWriter(std::unique_ptr<Encoder> encoder);
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace crumple::render
