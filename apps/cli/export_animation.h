#pragma once

#include <filesystem>

#include "apps/cli/command.h"
#include "crumple/io/export.h"
#include "crumple/run/playback.h"

namespace crumple::cli {

/// A whole recording as an animated .glb, with a progress bar.
Result<io::ExportReport> export_animation(Playback& playback, const std::filesystem::path& file, bool colors, const ProgressOptions& progress_options);

}  // namespace crumple::cli
