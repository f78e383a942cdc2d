#pragma once

#include <filesystem>
#include <string>

#include "apps/cli/command.h"
#include "crumple/run/run.h"

namespace crumple::cli {

/// Runs a scene with a progress bar; interrupts end it cleanly.
Result<RunReport> simulate(const Scene& scene, RunSettings settings, const ProgressOptions& progress_options);

/// What was simulated, how long each part took, how much was deformed, where the files are.
std::string run_table(const Scene& scene, const RunReport& report, const std::filesystem::path& folder);

int exit_code(const RunReport& report);

}  // namespace crumple::cli
