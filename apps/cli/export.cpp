#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/export_animation.h"
#include "crumple/io/export.h"

namespace crumple::cli {

Result<io::ExportReport> export_animation(Playback& playback, const std::filesystem::path& file, bool colors, const ProgressOptions& progress_options) {
  const std::vector<int> frames = playback.frames();
  if (frames.empty()) return input_error("the recording has no frames yet");
  Progress progress(progress_options.style(), "export", static_cast<long>(frames.size()));
  // What is torn is another thing in every stretch of frames, so the last frame does not show them all.
  bool every = false;
  for (const Body& body : playback.bodies()) every = every || body.matter;
  const io::FrameSource source = [&](int index) -> Result<Frame> {
    if (interrupted()) return system_error("interrupted");
    progress.update(index + 1);
    return playback.frame(frames[static_cast<size_t>(index)], colors && (every || static_cast<size_t>(index) + 1 == frames.size()) ? View{"state"} : View());
  };
  io::ExportSettings settings;
  settings.name = playback.scene().title.empty() ? "crumple" : playback.scene().title;
  settings.fps = playback.scene().fps;
  settings.colors = colors;
  if (every) settings.most_shapes = 64;  // pieces of one surface fly and spin apart
  return io::export_glb(source, static_cast<int>(frames.size()), settings, file);
}

namespace {

struct ExportOptions {
  std::string folder, file;
  int frame = -1;
  bool colors = false;
  ProgressOptions progress_options;
};

int run(const ExportOptions& options) {
  const std::string extension = std::filesystem::path(options.file).extension().string();
  if (extension != ".glb" && extension != ".obj" && extension != ".ply") {
    return print_error(input_error(fmt::format("{}: expected .glb (animation), .obj or .ply (one frame)", options.file)));
  }
  if (extension == ".glb" && options.frame >= 0) return print_error(input_error("--frame is for .obj and .ply; a .glb holds the whole animation"));
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  Result<Playback> playback = Playback::open(options.folder);
  if (!playback) return print_error(playback.error());
  if (!playback->warning().empty()) warn(playback->warning());
  if (playback->frames().empty()) return print_error(input_error(fmt::format("{}: has no frames yet", options.folder)));
  Result<io::ExportReport> report = io::ExportReport{};
  if (extension == ".glb") {
    report = export_animation(*playback, options.file, options.colors, options.progress_options);
  } else {
    Result<Frame> frame = playback->frame(options.frame >= 0 ? options.frame : playback->frames().back(), options.colors ? View{"state"} : View());
    if (!frame) return print_error(frame.error());
    report = extension == ".obj" ? io::export_obj(*frame, options.file) : io::export_ply(*frame, options.file);
  }
  if (interrupted()) return kInterrupted;
  if (!report) return print_error(report.error());
  for (const std::string& note : playback->notes()) print_message("note: {}\n", note);
  print("{}: {} frames, {} things, {} shapes, {:.1f} MB\n", options.file, report->frames, report->nodes, report->shapes, 1e-6 * static_cast<double>(report->bytes));
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  Command command(app, "export", "Turn a recording into files for other programs");
  command.add_option("recording", options->folder, "Folder made by 'crumple run'").required();
  command.add_option("-o,--output", options->file, "FILE.glb (animated), FILE.obj or FILE.ply (one frame)").required();
  command.add_option("--frame", options->frame, "Frame of an .obj or .ply (default: the last)").range(0, 1000000000);
  command.add_flag("--colors", options->colors, "Vertex colours by example weights, utilisation of structures, and plastic strain of soft bodies");
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
