#include <cstdio>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/pictures.h"
#include "apps/cli/plots.h"
#include "crumple/render/video.h"

namespace crumple::cli {
namespace {

struct RenderOptions {
  std::string folder, file, sheet, camera, color = "plain", size, plot;
  int frame = -1, samples = 0;
  bool particles = false, transparent = false;
  ProgressOptions progress_options;
  bool is_picture() const { return frame >= 0 || samples > 0 || !sheet.empty() || !camera.empty() || color != "plain" || !size.empty() || particles || transparent; }
};

std::vector<std::string> color_names() {
  std::vector<std::string> names;
  for (const ColorScheme& scheme : color_schemes()) names.emplace_back(scheme.name);
  return names;
}

std::string color_help() {
  std::vector<std::string> choices;
  for (const ColorScheme& scheme : color_schemes()) choices.push_back(fmt::format("{} ({})", scheme.name, scheme.help));
  return fmt::format("{}", fmt::join(choices, ", "));
}

render::ColorMode color_mode(const std::string& color) {
  if (color == "plain") return render::ColorMode::Plain;
  return color == "piece" ? render::ColorMode::Piece : render::ColorMode::Weights;  // rigid pieces are coloured by their number
}

bool parse_pair(const std::string& text, int& first, int& second, int most) {
  int used = 0;
  return std::sscanf(text.c_str(), "%dx%d%n", &first, &second, &used) == 2 && static_cast<size_t>(used) == text.size() && first > 0 && second > 0 && first <= most &&
         second <= most;
}

int plot(const RenderOptions& options) {
  if (options.is_picture()) return print_error(input_error("--plot draws numbers, not a picture: leave out --frame, --sheet, --color, --camera, --size, --samples, --particles and --transparent"));
  if (Result<void> drawn = make_plot(options.plot, options.folder, options.file); !drawn) return print_error(drawn.error());
  print("{}\n", options.file);
  return kDone;
}

int run(const RenderOptions& options) {
  if (!options.plot.empty()) return plot(options);
  const std::string extension = std::filesystem::path(options.file).extension().string();
  if (extension == ".svg") return print_error(input_error(fmt::format("{}: .svg is for plots; say which, such as --plot timing", options.file)));
  const bool is_film = render::is_film(options.file);
  if (extension != ".png" && !is_film) return print_error(input_error(fmt::format("{}: pictures are .png, films .mp4, .gif or .webp", options.file)));
  PictureOptions picture;
  picture.camera = options.camera;
  picture.view = {options.color, options.particles}, picture.render.color = color_mode(options.color);
  if (!options.sheet.empty() && (!parse_pair(options.sheet, picture.columns, picture.rows, 20))) {
    return print_error(input_error(fmt::format("--sheet {}: expected columns and rows such as 3x3", options.sheet)));
  }
  if (options.frame >= 0 && !options.sheet.empty()) return print_error(input_error("--frame and --sheet exclude each other"));
  if (is_film && (options.frame >= 0 || !options.sheet.empty())) return print_error(input_error(fmt::format("--frame and --sheet are for .png; an {} shows all frames", extension)));
  if (options.transparent && (is_film ? !render::can_be_transparent(options.file) : options.frame < 0)) {
    return print_error(input_error(fmt::format("{}: what can be transparent is a .png of one --frame, a .gif or a .webp", options.file)));
  }
  if (Result<void> possible = check_output(options.file); !possible) return print_error(possible.error());
  const bool single = options.frame >= 0 || is_film;
  picture.render.width = single ? 1280 : 480, picture.render.height = single ? 720 : 270;
  if (!options.size.empty() && !parse_pair(options.size, picture.render.width, picture.render.height, 8192)) {
    return print_error(input_error(fmt::format("--size {}: expected pixels such as 1280x720", options.size)));
  }
  if (options.samples > 0) picture.render.samples = options.samples;
  if (!options.camera.empty()) {
    if (Result<render::Camera> camera = render::parse_camera(options.camera); !camera) return print_error(camera.error());
  }
  Result<Playback> playback = Playback::open(options.folder);
  if (!playback) return print_error(playback.error());
  if (!playback->warning().empty()) warn(playback->warning());
  if (options.frame >= 0) picture.frame = options.frame;
  if (options.transparent && !playback->scene().flat) return print_error(input_error("--transparent is for flat scenes; in others all things stand in the light of their surroundings"));
  picture.transparent = options.transparent;
  Result<void> made = is_film ? make_video(*playback, picture, options.file, options.progress_options) : make_picture(*playback, picture, options.file, options.progress_options);
  if (interrupted()) return kInterrupted;
  if (!made) return print_error(made.error());
  for (const std::string& note : playback->notes()) print_message("note: {}\n", note);
  print("{}\n", options.file);
  return kDone;
}

}  // namespace

void add_render(CLI::App& app, Action& action) {
  auto options = std::make_shared<RenderOptions>();
  Command command(app, "render", "Ray trace pictures of a recording, or plot its numbers");
  command.add_option("recording", options->folder, "Folder made by 'crumple run'").required();
  command.add_option("-o,--output", options->file, "FILE.png (a frame or a sheet), FILE.mp4, FILE.gif or FILE.webp (all frames), or FILE.svg (a plot)").required();
  command.add_option("--frame", options->frame, "One picture of this frame").range(0, 1000000000);
  command.add_option("--sheet", options->sheet, "Columns and rows of a contact sheet (default 3x3)");
  command.add_option("--color", options->color, color_help()).one_of(color_names());
  command.add_flag("--particles", options->particles, "Draw the particles of soft bodies instead of their surface");
  command.add_flag("--transparent", options->transparent, "Of a flat scene: nothing behind the bodies, in a .png of one frame, a .gif or a .webp");
  command.add_option("--camera", options->camera, "ex,ey,ez[:tx,ty,tz][:fov]");
  command.add_option("--size", options->size, "Pixels of a picture or tile, such as 1280x720");
  command.add_option("--samples", options->samples, "Rays a pixel (default 10)").range(1, 4096);
  command.add_option("--plot", options->plot, "A plot instead of a picture: timing, volume, or a figure of run.json such as max_strain, over the frames");
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
