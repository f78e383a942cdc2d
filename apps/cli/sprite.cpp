#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/render/drawing.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct SpriteOptions {
  std::vector<std::string> files, handles, bones, pins;
  std::string output, name, look;
  int chosen = 0;
  double height = 0, edge = 0, scale = 1;
};

/// Comma-separated numbers; exactly `count`.
Result<std::vector<double>> numbers_in(std::string_view text, size_t count, const std::string& where) {
  std::vector<double> numbers;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(value)) break;
    numbers.push_back(value);
    if (comma == std::string_view::npos) {
      if (numbers.size() == count) return numbers;
      break;
    }
    text.remove_prefix(comma + 1);
  }
  return input_error(fmt::format("{}: expected {} numbers in pixels, such as {}", where, count, count == 2 ? "head=120,80" : "arm=120,80,60,140"));
}

/// "name@layer=numbers"; the layer may be left out.
struct NamedPlace {
  std::string name, layer;
  std::vector<double> numbers;
};
Result<NamedPlace> parse_named(const char* option, const std::string& text, size_t count) {
  const std::string where = fmt::format("{} {}", option, text);
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return input_error(fmt::format("{}: expected a name and a place such as head=120,80", where));
  Result<std::vector<double>> numbers = numbers_in(std::string_view(text).substr(equals + 1), count, where);
  if (!numbers) return numbers.error();
  NamedPlace place{text.substr(0, equals), "", std::move(*numbers)};
  if (const size_t at = place.name.find('@'); at != std::string::npos) place.layer = place.name.substr(at + 1), place.name.resize(at);
  return place;
}

Result<void> add_marks(const SpriteOptions& options, render::Drawing& drawing) {
  for (const std::string& text : options.handles) {
    const Result<NamedPlace> place = parse_named("--handle", text, 2);
    if (!place) return place.error();
    drawing.handles.push_back({place->name, {place->numbers[0], place->numbers[1]}, std::nullopt, place->layer});
  }
  for (const std::string& text : options.bones) {
    const Result<NamedPlace> place = parse_named("--bone", text, 4);
    if (!place) return place.error();
    drawing.handles.push_back({place->name, {place->numbers[0], place->numbers[1]}, Vec2(place->numbers[2], place->numbers[3]), place->layer});
  }
  for (const std::string& text : options.pins) {
    const Result<NamedPlace> place = parse_named("--pin", text, 2);
    if (!place) return place.error();
    drawing.pins.push_back({place->name, {place->numbers[0], place->numbers[1]}, place->layer, ""});
  }
  return {};
}

Result<Asset> make(const SpriteOptions& options, FlatReport& report) {
  Result<render::Drawing> drawing = render::read_drawing(std::vector<fs::path>(options.files.begin(), options.files.end()), options.scale);
  if (!drawing) return drawing.error();
  for (const std::string& note : drawing->notes) report.warnings.push_back(note);
  if (const Result<void> added = add_marks(options, *drawing); !added) return added.error();
  FlatSettings settings;
  settings.handles = drawing->handles, settings.pins = drawing->pins, settings.height = options.height;
  settings.chosen = options.chosen > 0 ? options.chosen : drawing->handles.empty() ? 6 : 0;
  settings.outline.edge = options.edge;
  if (settings.height <= 0) settings.height = drawing->layers[0].image->picture->height / (256.0 * drawing->scale);
  Result<Asset> asset = make_flat_rig(drawing->layers, settings, report);
  if (!asset) return Error{asset.error().kind, fmt::format("{}: {}", options.files[0], asset.error().text)};
  asset->name = options.name.empty() ? fs::path(options.output).stem().string() : options.name;
  return asset;
}

int run(const SpriteOptions& options) {
  if (fs::path(options.output).extension() != ".glb") return print_error(input_error(fmt::format("{}: sprites are .glb", options.output)));
  for (const std::string& file : {options.output, options.look}) {
    if (const Result<void> possible = check_output(file); !possible) return print_error(possible.error());
  }
  FlatReport report;
  const Result<Asset> asset = make(options, report);
  if (!asset) return print_error(asset.error());
  if (const Result<void> written = io::write_asset(*asset, options.output); !written) return print_error(written.error());
  if (!options.look.empty()) {
    LookTile tile = asset_tile(*asset, 0);
    for (size_t h = 0; h < asset->handles.size(); ++h) tile.marks[h].label = asset->handles[h].name;
    tile.title = fmt::format("{}: {} handles", asset->name, asset->handles.size());
    LookOptions look;
    look.width = 900;
    if (const Result<void> drawn = draw_tiles({tile}, options.look, look); !drawn) return print_error(drawn.error());
  }
  const Bounds bounds = bounds_of(asset->surface.positions);
  print("{}: {:.3g} x {:.3g} m\n", options.output, bounds.high.x() - bounds.low.x(), bounds.high.y() - bounds.low.y());
  print("  {:<12} {} with {} vertices, {:.3g} m apart, angles from {:.0f} degrees\n", "triangles", report.triangles, report.vertices, report.edge, report.smallest_angle);
  if (asset->flat->layers.size() > 1) print("  {:<12} {}, {} pins\n", "layers", fmt::format("{}", fmt::join(asset->flat->layers, ", ")), asset->flat->pins.size());
  print("  {:<12} residual {:.1e}\n", "weights", report.weights_residual);
  std::vector<std::string> names;
  for (const Handle& handle : asset->handles) names.push_back(handle.name);
  print("  {:<12} {}\n", "handles", fmt::format("{}", fmt::join(names, ", ")));
  for (const std::string& warning : report.warnings) print("  {:<12} {}\n", "warning", warning);
  print("  {:<12} crumple pose {} --name squashed --move {}=0,{:.2g}\n", "next", options.output, names.front(), -0.2 * (bounds.high.y() - bounds.low.y()));
  return kDone;
}

constexpr const char* kSpriteFooter =
    "An .svg brings its layers (groups of the top level with ids such as \"layer-arm\", from the back to the front) and marks: in a group with the\n"
    "id \"rig\", circles \"handle-NAME\" and \"pin-NAME\" and lines \"bone-NAME\"; their attributes data-layer and data-to name layers.\n"
    "Several .png of one size are the layers of a drawing. What is painted with alpha above one half becomes triangles; 256 pixels make a metre.";

}  // namespace

void add_sprite(CLI::App& app, Action& action) {
  auto options = std::make_shared<SpriteOptions>();
  Command command(app, "sprite", "Make a sprite from a drawing: outline, triangles, handles and weights");
  command.add_option("drawing", options->files, "IMAGE.png, or several of one size as layers from the back to the front, or DRAWING.svg").required();
  command.add_option("-o,--output", options->output, "Sprite to write (.glb)").required();
  command.add_option("--handles", options->chosen, "Handles in all; those not placed are spread over the drawing (default 6 if none is placed)").range(1, 200);
  command.add_option("--handle", options->handles, "NAME=x,y in pixels from the top left; NAME@LAYER=x,y for a layer").single();
  command.add_option("--bone", options->bones, "NAME=x,y,x2,y2: a handle along a line").single();
  command.add_option("--pin", options->pins, "NAME=x,y: pins the topmost layer there to the one below; NAME@LAYER=x,y pins that layer").single();
  command.add_option("--height", options->height, "Height of the picture in metres (default: 256 pixels make a metre)").range(1e-3, 1e4);
  command.add_option("--edge", options->edge, "Pixels between points of the outline (default: by size and thickness)").range(1.0, 1000.0);
  command.add_option("--scale", options->scale, "Pixels for a unit of an .svg (default 1)").range(0.05, 16.0);
  command.add_option("--name", options->name, "Of the sprite (default: of its file)");
  command.add_option("--picture", options->look, "Picture with the handles and their names (.png)");
  command.footer(kSpriteFooter);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
