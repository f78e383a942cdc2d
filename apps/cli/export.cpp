#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/export_animation.h"
#include "apps/cli/export_sheet.h"
#include "crumple/io/export.h"

namespace crumple::cli {

Result<io::ExportReport> export_animation(Playback& playback, const std::filesystem::path& file, const AnimationOptions& options, const ProgressOptions& progress_options) {
  const std::vector<int> frames = playback.frames();
  if (frames.empty()) return input_error("the recording has no frames yet");
  Progress progress(progress_options.style(), "export", 2 * static_cast<long>(frames.size()));
  // What is torn is another thing in every stretch of frames, so the last frame does not show them all.
  bool every = false;
  for (const Body& body : playback.bodies()) every = every || body.matter;
  long done = 0;
  const io::FrameSource source = [&](int index) -> Result<Frame> {
    if (interrupted()) return system_error("interrupted");
    progress.update(++done);
    const bool colored = options.colors && (every || static_cast<size_t>(index) + 1 == frames.size());
    return playback.frame(frames[static_cast<size_t>(index)], colored ? View{"state"} : View());
  };
  io::ExportSettings settings;
  settings.name = playback.scene().title.empty() ? "crumple" : playback.scene().title;
  settings.fps = playback.scene().fps;
  settings.colors = options.colors;
  settings.tolerance = 1e-3 * options.tolerance;
  settings.max_bytes = static_cast<size_t>(1e6 * options.max_size);
  return io::export_glb(source, static_cast<int>(frames.size()), settings, file);
}

std::string exactness(const io::ExportReport& report) {
  std::string text = fmt::format("no vertex more than {:.2g} mm off", 1e3 * report.worst);
  if (report.worst > 0) text += fmt::format(" (measured; \"{}\" in frame {})", report.worst_item, report.worst_frame);
  if (report.compact) text += "; shapes are in small whole numbers (KHR_mesh_quantization)";
  if (report.scale > 1) text += fmt::format("; to keep to --max-size, tolerances are {:.3g} times as large", report.scale);
  return text;
}

namespace {

struct ExportOptions {
  std::string folder, file, body, frames;
  int frame = -1, every = 1;
  double pixels = 0;
  bool colors = false;
  AnimationOptions animation;
  ProgressOptions progress_options;
};

/// The frames that are asked for with --frames and --every.
Result<std::vector<int>> chosen_frames(const ExportOptions& options, const Playback& playback) {
  std::pair<int, int> range{playback.frames().front(), playback.frames().back()};
  if (!options.frames.empty()) {
    const Result<std::pair<int, int>> parsed = parse_frames(options.frames);
    if (!parsed) return parsed.error();
    range = *parsed;
  }
  std::vector<int> chosen;
  for (const int number : playback.frames()) {
    if (number >= range.first && number <= range.second && (number - range.first) % options.every == 0) chosen.push_back(number);
  }
  if (chosen.empty()) return input_error(fmt::format("--frames {}: none of these frames was recorded", options.frames));
  return chosen;
}

int make_sheet(const ExportOptions& options, Playback& playback) {
  SheetRequest request;
  request.file = options.file, request.body = options.body, request.every = options.every;
  if (options.pixels > 0) request.pixels = options.pixels;
  const Result<std::vector<int>> frames = chosen_frames(options, playback);
  if (!frames) return print_error(frames.error());
  request.frames = *frames;
  const Result<void> made = export_sheet(playback, request, options.progress_options);
  if (interrupted()) return kInterrupted;
  return made ? static_cast<int>(kDone) : print_error(made.error());
}

/// A point cache or USD of these frames.
Result<io::ExportReport> make_cache(const ExportOptions& options, Playback& playback, const std::string& extension) {
  const Result<std::vector<int>> frames = chosen_frames(options, playback);
  if (!frames) return frames.error();
  const bool is_usd = extension == ".usda";
  Progress progress(options.progress_options.style(), "export", (is_usd ? 1 : 2) * static_cast<long>(frames->size()));
  long done = 0;
  const io::FrameSource source = [&](int index) -> Result<Frame> {
    if (interrupted()) return system_error("interrupted");
    progress.update(++done);
    return playback.frame((*frames)[static_cast<size_t>(index)]);
  };
  const int count = static_cast<int>(frames->size());
  if (!is_usd) return io::export_cache(source, count, extension == ".mdd" ? io::CacheKind::Mdd : io::CacheKind::Pc2, options.file);
  io::ExportSettings settings;
  settings.name = playback.scene().title.empty() ? "crumple" : playback.scene().title, settings.fps = playback.scene().fps / options.every;
  return io::export_usd(source, count, settings, options.file);
}

/// One file for each frame, NAME_0007.obj.
Result<io::ExportReport> make_sequence(const ExportOptions& options, Playback& playback) {
  const Result<std::vector<int>> frames = chosen_frames(options, playback);
  if (!frames) return frames.error();
  const std::filesystem::path file = options.file;
  Progress progress(options.progress_options.style(), "export", static_cast<long>(frames->size()));
  io::ExportReport all;
  for (const int number : *frames) {
    if (interrupted()) return system_error("interrupted");
    const Result<Frame> frame = playback.frame(number, options.colors ? View{"state"} : View());
    if (!frame) return frame.error();
    const std::filesystem::path one = file.parent_path() / fmt::format("{}_{:04}{}", file.stem().string(), number, file.extension().string());
    const Result<io::ExportReport> report = file.extension() == ".obj" ? io::export_obj(*frame, one) : io::export_ply(*frame, one);
    if (!report) return report;
    all.frames += 1, all.nodes = std::max(all.nodes, report->nodes), all.bytes += report->bytes;
    progress.update(all.frames);
  }
  return all;
}

int run(const ExportOptions& options) {
  const std::string extension = std::filesystem::path(options.file).extension().string();
  const bool is_cache = extension == ".mdd" || extension == ".pc2" || extension == ".usda", is_mesh = extension == ".obj" || extension == ".ply";
  if (extension != ".glb" && extension != ".png" && !is_cache && !is_mesh) {
    return print_error(input_error(fmt::format("{}: expected .glb or .usda (animation), .mdd or .pc2 (point cache), .obj or .ply (frames) or .png (sprite sheet)", options.file)));
  }
  if (extension != ".glb" && (options.animation.tolerance > 0 || options.animation.max_size > 0)) return print_error(input_error(fmt::format("--tolerance and --max-size are for .glb; {} is exact", extension)));
  if (extension != ".png" && (!options.body.empty() || options.pixels > 0)) return print_error(input_error("--body and --pixels are for sprite sheets (.png)"));
  if (extension == ".glb" && (!options.frames.empty() || options.every > 1)) return print_error(input_error("--frames and --every are not for .glb, which holds the whole animation"));
  if ((extension == ".png" || is_cache) && (options.frame >= 0 || options.colors)) return print_error(input_error(fmt::format("--frame and --colors are not for {}; choose frames with --frames", extension)));
  if (extension == ".glb" && options.frame >= 0) return print_error(input_error("--frame is for .obj and .ply; a .glb holds the whole animation"));
  const bool is_sequence = is_mesh && (!options.frames.empty() || options.every > 1);
  if (is_sequence && options.frame >= 0) return print_error(input_error("--frame and --frames exclude each other"));
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  Result<Playback> playback = Playback::open(options.folder);
  if (!playback) return print_error(playback.error());
  if (!playback->warning().empty()) warn(playback->warning());
  if (playback->frames().empty()) return print_error(input_error(fmt::format("{}: has no frames yet", options.folder)));
  if (extension == ".png") return make_sheet(options, *playback);
  Result<io::ExportReport> report = io::ExportReport{};
  if (extension == ".glb") {
    AnimationOptions animation = options.animation;
    animation.colors = options.colors;
    report = export_animation(*playback, options.file, animation, options.progress_options);
  } else if (is_cache) {
    report = make_cache(options, *playback, extension);
  } else if (is_sequence) {
    report = make_sequence(options, *playback);
  } else {
    Result<Frame> frame = playback->frame(options.frame >= 0 ? options.frame : playback->frames().back(), options.colors ? View{"state"} : View());
    if (!frame) return print_error(frame.error());
    report = extension == ".obj" ? io::export_obj(*frame, options.file) : io::export_ply(*frame, options.file);
  }
  if (interrupted()) return kInterrupted;
  if (!report) return print_error(report.error());
  for (const std::string& note : playback->notes()) print_message("note: {}\n", note);
  print("{}: {} frames, {} things, {} shapes, {:.1f} MB\n", options.file, report->frames, report->nodes, report->shapes, 1e-6 * static_cast<double>(report->bytes));
  if (extension == ".glb") print("  {}\n", exactness(*report));
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  Command command(app, "export", "Turn a recording into files for other programs");
  command.add_option("recording", options->folder, "Folder made by 'crumple run'").required();
  command.add_option("-o,--output", options->file, "FILE.glb or FILE.usda (animated), FILE.mdd or FILE.pc2 with FILE.obj (point cache), FILE.obj or FILE.ply (one frame, or FILE_0007.obj ... with --frames), FILE.png with FILE.json (sprite sheet of a flat scene)").required();
  command.add_option("--frame", options->frame, "Frame of an .obj or .ply (default: the last)").range(0, 1000000000);
  command.add_flag("--colors", options->colors, "Vertex colours by example weights, utilisation of structures, and plastic strain of soft bodies");
  command.add_option("--tolerance", options->animation.tolerance, "Distance in mm that a vertex of a .glb may be from its place (default: 1, or a thousandth of the body if that is more)").range(0.001, 1000.0);
  command.add_option("--max-size", options->animation.max_size, "Size in MB that a .glb may have; larger tolerances make it smaller").range(0.1, 4000.0);
  command.add_option("--body", options->body, "Body of a sprite sheet (default: the only sprite)");
  command.add_option("--frames", options->frames, "Frames A-B of USD, a point cache, a sequence of .obj or .ply, or a sprite sheet (default: all)");
  command.add_option("--every", options->every, "Only each N-th of these frames").range(1, 100000);
  command.add_option("--pixels", options->pixels, "Pixels for a metre in a sprite sheet (default: 100)").range(1.0, 100000.0);
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
