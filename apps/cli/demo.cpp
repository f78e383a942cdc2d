#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/export_animation.h"
#include "apps/cli/pictures.h"
#include "apps/cli/simulate.h"
#include "crumple/core/timer.h"

namespace crumple::cli {
namespace {

struct DemoOptions {
  std::string scene, folder;
  std::vector<std::string> changes;
  bool force = false;
  ProgressOptions progress_options;
};

/// Simulate, export, render: the three things a newcomer wants to see, with one table at the end.
int run(const DemoOptions& options) {
  namespace fs = std::filesystem;
  Result<Scene> scene = load_scene(options.scene, options.changes);
  if (!scene) return print_error(scene.error());
  for (const std::string& warning : scene_warnings(*scene)) warn(warning);
  const std::string name = fs::path(options.scene).stem().string();
  RunSettings settings;
  settings.folder = options.folder.empty() ? fs::path("out") / name : fs::path(options.folder);
  settings.force = options.force;
  Result<RunReport> report = simulate(*scene, settings, options.progress_options);
  if (!report) return print_error(report.error());
  if (report->outcome == Outcome::Interrupted) return print("{}", run_table(*scene, *report, settings.folder)), kInterrupted;

  Result<Playback> playback = Playback::open(settings.folder);
  if (!playback) return print_error(playback.error());
  const fs::path animation = settings.folder / (name + ".glb"), preview = settings.folder / "preview.png";
  const double before_export = wall_seconds();
  Result<io::ExportReport> exported = export_animation(*playback, animation, {}, options.progress_options);
  if (interrupted()) return kInterrupted;
  if (!exported) return print_error(exported.error());
  const double before_render = wall_seconds();
  PictureOptions picture;
  picture.render.width = 480, picture.render.height = 270;
  Result<void> rendered = make_picture(*playback, picture, preview, options.progress_options);
  if (interrupted()) return kInterrupted;
  if (!rendered) return print_error(rendered.error());
  const double end = wall_seconds();

  print("{}", run_table(*scene, *report, settings.folder));
  print("  {:<10} {} ({:.1f} MB, made in {:.1f} s)\n", "animation", animation.string(), 1e-6 * static_cast<double>(exported->bytes), before_render - before_export);
  print("  {:<10} {} (made in {:.1f} s)\n", "picture", preview.string(), end - before_render);
  return exit_code(*report);
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  auto options = std::make_shared<DemoOptions>();
  Command command(app, "demo", "Simulate a scene, export it and draw a contact sheet");
  command.add_option("scene", options->scene, "Scene file (.json)").required();
  command.add_option("-o,--output", options->folder, "Folder of the recording (default: out/NAME)");
  command.add_option("--set", options->changes, "Change a value: '/bodies/drum 1/examples/yield=2'").single();
  command.add_flag("--force", options->force, "Overwrite an existing recording");
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
