#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/export_animation.h"
#include "apps/cli/export_sheet.h"
#include "crumple/core/suggest.h"
#include "crumple/io/export.h"

namespace crumple::cli {

namespace {

struct ExportOptions {
  std::string folder, file, body, frames;
  int frame = -1, every = 1;
  double pixels = 0;
  bool colors = false, vat = false;
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

Result<void> check_body(const Playback& playback, const std::string& name) {
  std::vector<std::string> names;
  for (const Body& body : playback.bodies()) names.push_back(body.description->name);
  if (name.empty() || std::ranges::find(names, name) != names.end()) return {};
  return input_error(fmt::format("--body {}: there is no such body{}", name, suggestion(name, names)));
}

bool belongs_to(const FrameItem& item, const std::string& body) {
  return body.empty() || item.name == body || item.name.starts_with(body + "/");
}

/// A point cache, USD or textures of these frames.
Result<io::ExportReport> make_cache(const ExportOptions& options, Playback& playback, const std::string& extension) {
  if (const Result<void> known = check_body(playback, options.body); !known) return known.error();
  const Result<std::vector<int>> frames = chosen_frames(options, playback);
  if (!frames) return frames.error();
  Result<io::ExportSettings> settings = export_settings(playback, options.animation, *frames);
  if (!settings) return settings.error();
  settings->fps /= options.every;
  const bool is_usd = extension == ".usda", is_texture = extension == ".exr" || extension == ".png";
  Progress progress(options.progress_options.style(), "export", (is_usd ? 1 : 2) * static_cast<long>(frames->size()));
  long done = 0;
  const io::FrameSource source = [&](int index) -> Result<Frame> {
    if (interrupted()) return system_error("interrupted");
    progress.update(++done);
    Result<Frame> frame = playback.frame((*frames)[static_cast<size_t>(index)]);
    // An infinite ground would take all the numbers that a texture's pixels have.
    if (frame) std::erase_if(frame->items, [&](const FrameItem& item) { return !belongs_to(item, options.body) || (is_texture && item.backdrop); });
    return frame;
  };
  const int count = static_cast<int>(frames->size());
  if (is_usd) return io::export_usd(source, count, *settings, options.file);
  if (is_texture) return io::export_vat(source, count, *settings, extension == ".exr" ? io::VatKind::Exr : io::VatKind::Png, options.file);
  return io::export_cache(source, count, extension == ".mdd" ? io::CacheKind::Mdd : io::CacheKind::Pc2, options.file);
}

/// Writes a frame as .ply with velocities, which come from the frames beside it.
Result<io::ExportReport> make_ply(const Frame& frame, Playback& playback, const std::filesystem::path& file) {
  const std::vector<int>& frames = playback.frames();
  const auto here = std::ranges::lower_bound(frames, frame.number);
  std::optional<Frame> before, after;
  const auto take = [&](int number, std::optional<Frame>& into) -> Result<void> {
    Result<Frame> read = playback.frame(number);
    if (!read) return read.error();
    into = std::move(*read);
    return {};
  };
  if (here != frames.begin()) {
    if (Result<void> taken = take(*std::prev(here), before); !taken) return taken.error();
  }
  if (here + 1 < frames.end()) {
    if (Result<void> taken = take(*std::next(here), after); !taken) return taken.error();
  }
  return io::export_ply(frame, file, before ? &*before : nullptr, after ? &*after : nullptr);
}

/// One file for each frame, NAME_0007.obj, or the one of --frame.
Result<io::ExportReport> make_meshes(const ExportOptions& options, Playback& playback, bool is_sequence) {
  Result<std::vector<int>> frames = std::vector<int>{options.frame >= 0 ? options.frame : playback.frames().back()};
  if (is_sequence) frames = chosen_frames(options, playback);
  if (!frames) return frames.error();
  const std::filesystem::path file = options.file;
  const bool is_obj = file.extension() == ".obj";
  Progress progress(options.progress_options.style(), "export", static_cast<long>(frames->size()));
  io::ObjSequence objs(file);
  io::ExportReport all;
  for (const int number : *frames) {
    if (interrupted()) return system_error("interrupted");
    const Result<Frame> frame = playback.frame(number, options.colors ? View{"state"} : View());
    if (!frame) return frame.error();
    const std::filesystem::path one = is_sequence ? file.parent_path() / fmt::format("{}_{:04}{}", file.stem().string(), number, file.extension().string()) : file;
    const Result<io::ExportReport> report = is_obj ? objs.add(*frame, one) : make_ply(*frame, playback, one);
    if (!report) return report;
    all.frames += 1, all.nodes = std::max(all.nodes, report->nodes), all.bytes += report->bytes;
    progress.update(all.frames);
  }
  if (is_obj) {
    if (const Result<void> done = objs.finish(); !done) return done.error();
  }
  return all;
}

/// What options and formats do not fit each other, or nothing.
std::string misfit(const ExportOptions& options, const std::string& extension) {
  const bool is_glb = extension == ".glb", is_sheet = extension == ".png" && !options.vat, is_mesh = extension == ".obj" || extension == ".ply";
  const bool is_cache = extension == ".mdd" || extension == ".pc2" || extension == ".usda" || extension == ".exr" || (extension == ".png" && options.vat);
  if (!is_glb && !is_sheet && !is_mesh && !is_cache) {
    return fmt::format("{}: expected .glb or .usda (animation), .mdd or .pc2 (point cache), .exr (vertex animation texture), .obj or .ply (frames) or .png (sprite sheet)", options.file);
  }
  if (!is_glb && (options.animation.tolerance > 0 || options.animation.max_size > 0)) return fmt::format("--tolerance and --max-size are for .glb; {} is exact", extension);
  if (options.vat && extension != ".png" && extension != ".exr") return "--vat is for .png and .exr";
  if (!is_sheet && options.pixels > 0) return "--pixels is for sprite sheets (.png)";
  if ((is_glb || is_mesh) && !options.body.empty()) return "--body is for sprite sheets (.png), .usda, point caches and textures";
  if (is_glb && (!options.frames.empty() || options.every > 1)) return "--frames and --every are not for .glb, which holds the whole animation";
  if ((is_sheet || is_cache) && (options.frame >= 0 || options.colors)) return fmt::format("--frame and --colors are not for {}; choose frames with --frames", extension);
  if (is_glb && options.frame >= 0) return "--frame is for .obj and .ply; a .glb holds the whole animation";
  if (is_mesh && (!options.frames.empty() || options.every > 1) && options.frame >= 0) return "--frame and --frames exclude each other";
  return "";
}

Result<io::ExportReport> make(const ExportOptions& options, Playback& playback, const std::string& extension) {
  if (extension == ".glb") {
    AnimationOptions animation = options.animation;
    animation.colors = options.colors;
    return export_animation(playback, options.file, animation, options.progress_options);
  }
  if (extension == ".obj" || extension == ".ply") return make_meshes(options, playback, !options.frames.empty() || options.every > 1);
  return make_cache(options, playback, extension);
}

int run(const ExportOptions& options) {
  const std::string extension = std::filesystem::path(options.file).extension().string();
  if (const std::string wrong = misfit(options, extension); !wrong.empty()) return print_error(input_error(wrong));
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  Result<Playback> playback = Playback::open(options.folder);
  if (!playback) return print_error(playback.error());
  if (!playback->warning().empty()) warn(playback->warning());
  if (playback->frames().empty()) return print_error(input_error(fmt::format("{}: has no frames yet", options.folder)));
  if (extension == ".png" && !options.vat) return make_sheet(options, *playback);
  const Result<io::ExportReport> report = make(options, *playback, extension);
  if (interrupted()) return kInterrupted;
  if (!report) return print_error(report.error());
  for (const std::string& note : playback->notes()) print_message("note: {}\n", note);
  for (const std::string& what : report->lost) print_message("note: {} does not hold {}\n", extension, what);
  print("{}: {} frames, {} things, {} shapes, {:.1f} MB\n", options.file, report->frames, report->nodes, report->shapes, 1e-6 * static_cast<double>(report->bytes));
  if (extension == ".glb" || report->worst > 0) print("  {}\n", exactness(*report));
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  Command command(app, "export", "Turn a recording into files for other programs");
  command.add_option("recording", options->folder, "Folder made by 'crumple run'").required();
  command.add_option("-o,--output", options->file, "FILE.glb or FILE.usda (animated), FILE.mdd or FILE.pc2 with FILE.obj (point cache), FILE.exr with FILE_vat.glb and FILE_vat.json (vertex animation texture), FILE.obj or FILE.ply (one frame, or FILE_0007.obj ... with --frames), FILE.png with FILE.json (sprite sheet of a flat scene)").required();
  command.add_option("--frame", options->frame, "Frame of an .obj or .ply (default: the last)").range(0, 1000000000);
  command.add_flag("--colors", options->colors, "Vertex colours by example weights, utilisation of structures, and plastic strain of soft bodies");
  command.add_option("--tolerance", options->animation.tolerance, "Distance in mm that a vertex of a .glb may be from its place (default: 1, or a thousandth of the body if that is more)").range(0.001, 1000.0);
  command.add_option("--max-size", options->animation.max_size, "Size in MB that a .glb may have; larger tolerances make it smaller").range(0.1, 4000.0);
  command.add_flag("--bare", options->animation.bare, "Leave camera and light out of a .glb or .usda");
  command.add_flag("--vat", options->vat, "Vertex animation texture as a .png of 16 bits instead of .exr");
  command.add_option("--body", options->body, "Body of a sprite sheet (default: the only sprite), or the only one of USD, a point cache or texture");
  command.add_option("--frames", options->frames, "Frames A-B of USD, a point cache or texture, a sequence of .obj or .ply, or a sprite sheet (default: all)");
  command.add_option("--every", options->every, "Only each N-th of these frames").range(1, 100000);
  command.add_option("--pixels", options->pixels, "Pixels for a metre in a sprite sheet (default: 100)").range(1.0, 100000.0);
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
