#pragma once

#include <filesystem>

#include "apps/cli/command.h"
#include "crumple/io/export.h"
#include "crumple/run/playback.h"

namespace crumple::cli {

struct AnimationOptions {
  bool colors = false;
  bool bare = false;     // without camera and light
  double tolerance = 0;  // mm; 0: by the size of each body
  double max_size = 0;   // MB; 0: any
};

/// Name, times, camera and light of a recording, for formats that hold them.
Result<io::ExportSettings> export_settings(Playback& playback, const AnimationOptions& options, const std::vector<int>& frames);

/// A whole recording as an animated .glb, with a progress bar.
Result<io::ExportReport> export_animation(Playback& playback, const std::filesystem::path& file, const AnimationOptions& options, const ProgressOptions& progress_options);

/// How near an animation is to the recording, for a person.
std::string exactness(const io::ExportReport& report);

}  // namespace crumple::cli
