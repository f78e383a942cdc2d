#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crumple/core/result.h"

namespace crumple::cli {

/// Draws numbers of a recording into an SVG file. "timing": what each frame cost, as in figure 11 of paper 1; "volume": of bodies that
/// change, as in figure 3.10 of the thesis; otherwise a figure of run.json over the frames.
Result<void> make_plot(const std::string& name, const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace crumple::cli
