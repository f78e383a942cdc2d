#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crumple/core/result.h"

namespace crumple::cli {

std::vector<std::string> plot_names();

/// Draws numbers of a recording into an SVG file. "timing": what each frame cost, as in figure 11 of paper 1.
Result<void> make_plot(const std::string& name, const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace crumple::cli
