#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apps/cli/command.h"
#include "crumple/io/node_motion.h"
#include "crumple/render/preview.h"
#include "crumple/run/playback.h"

namespace crumple::cli {

struct PictureOptions {
  std::optional<int> frame;               // one picture of that frame
  int columns = 3, rows = 3;              // otherwise a sheet of frames
  std::string camera;                     // as given on the command line
  View view;                              // what is seen, and what vertex colours stand for if the settings ask for any
  bool transparent = false;               // of a flat scene: nothing behind the bodies
  render::RenderSettings render;
};

/// A camera that stands, or one of a file that moves.
struct Filming {
  render::Camera camera;
  NodeClip clip;
  std::optional<io::NodeMotion> motion;
  render::Camera at(double time) const;
};

/// The camera asked for, or the scene's, or one that sees all that moves.
Result<Filming> choose_camera(Playback& playback, const PictureOptions& options);

/// A picture of one frame or a sheet of several.
Result<void> make_picture(Playback& playback, const PictureOptions& options, const std::filesystem::path& file, const ProgressOptions& progress_options);
Result<void> make_video(Playback& playback, const PictureOptions& options, const std::filesystem::path& file, const ProgressOptions& progress_options);

}  // namespace crumple::cli
