#include <thread>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/simulate.h"
#include "crumple/core/parallel.h"
#include "crumple/io/files.h"
#include "crumple/scene/animation.h"

namespace crumple::cli {
namespace {

struct RunOptions {
  std::string scene, folder, frames;
  std::vector<std::string> changes;
  int threads = 0;
  bool resume = false, force = false, strict = false;
  ProgressOptions progress_options;
};

int run(const RunOptions& options) {
  if (options.resume && options.force) return print_error(input_error("--resume and --force exclude each other"));
  if (options.threads > 0) {
    set_thread_count(options.threads);
    if (thread_count() < options.threads) warn(fmt::format("only {} of {} threads could be started; results do not depend on it", thread_count(), options.threads));
  }
  Result<Scene> scene = load_scene(options.scene, options.changes);
  if (!scene) return print_error(scene.error());
  for (const std::string& note : scene->notes) print_message("note: {}\n", note);
  for (const std::string& note : unused_animations(*scene)) print_message("note: {}\n", note);
  for (const std::string& warning : scene_warnings(*scene)) warn(warning);
  RunSettings settings;
  settings.folder = options.folder.empty() ? std::filesystem::path("out") / std::filesystem::path(options.scene).stem() : std::filesystem::path(options.folder);
  settings.resume = options.resume, settings.force = options.force, settings.strict = options.strict;
  if (!options.frames.empty()) {
    Result<std::pair<int, int>> frames = parse_frames(options.frames);
    if (!frames) return print_error(frames.error());
    settings.frames = *frames;
  }
  Result<RunReport> report = simulate(*scene, settings, options.progress_options);
  if (!report) return print_error(report.error());
  print("{}", run_table(*scene, *report, settings.folder));
  return exit_code(*report);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  Command command(app, "run", "Simulate a scene into a recording");
  command.add_option("scene", options->scene, "Scene file (.json)").required();
  command.add_option("-o,--output", options->folder, "Folder of the recording (default: out/NAME)");
  command.add_option("--frames", options->frames, "Record only frames A-B; frame 0 is the start");
  command.add_option("--set", options->changes, "Change a value: '/bodies/drum 1/examples/yield=2'").single();
  command.add_option("--threads", options->threads, "Threads to use (default: all); results never depend on it").range(1, 256);
  command.add_flag("--resume", options->resume, "Continue an interrupted run from its last checkpoint");
  command.add_flag("--force", options->force, "Overwrite an existing recording");
  command.add_flag("--strict", options->strict, "Stop if a body has to be frozen");
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
