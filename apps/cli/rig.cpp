#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "apps/cli/mesh_findings.h"
#include "apps/cli/model.h"
#include "apps/cli/rig_report.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/choose.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/gltf_asset.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kHuge = 1e5, kTiny = 1e-4;  // metres across: beyond, the unit is taken to be wrong unless it was given

struct RigOptions {
  ModelOptions model;
  std::string output, name, color, look;
  std::vector<std::string> places;
  std::string edge;  // of --refine
  bool refine = false;
  int handles = 12, cells = 0;
  size_t most_tets = RigSettings{}.most_tets;
  bool exact = false, strict = false, json = false, no_mirror = false;
  ProgressOptions progress_options;
};

/// "x,y,z" or "name=x,y,z", in the model's own coordinates.
Result<Handle> parse_handle(const std::string& text, const ModelOptions& model) {
  const size_t equals = text.find('=');
  Handle handle;
  if (equals != std::string::npos) handle.name = text.substr(0, equals);
  if (equals == 0) return input_error(fmt::format("--handle {}: the name is missing before \"=\"", text));
  const Result<Vec3> place = parse_place(equals == std::string::npos ? text : text.substr(equals + 1), "--handle");
  if (!place) return place.error();
  handle.position = model.to_asset(*place);
  return handle;
}

/// Metres, or 0 where it is left to the rig.
Result<double> parse_edge(const std::string& text) {
  if (text.empty()) return 0.0;
  double edge = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), edge);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && edge > 0 && std::isfinite(edge)) return edge;
  return input_error(fmt::format("--refine {}: expected the longest edge in metres, such as 0.05, or nothing to have it chosen", text));
}

Result<RigSettings> settings_from(const RigOptions& options) {
  RigSettings settings;
  for (const std::string& place : options.places) {
    const Result<Handle> handle = parse_handle(place, options.model);
    if (!handle) return handle.error();
    settings.fixed.push_back(*handle);
  }
  settings.handles = std::max(options.handles, static_cast<int>(settings.fixed.size()));
  settings.cells = options.cells, settings.most_tets = options.most_tets;
  settings.thicken = !options.strict, settings.mirror = !options.no_mirror;
  if (options.refine) {
    const Result<double> edge = parse_edge(options.edge);
    if (!edge) return edge.error();
    settings.refine = *edge;
  }
  if (options.exact) settings.weights.quality = WeightSettings::Quality::Exact;
  return settings;
}

Result<void> check_outputs(const RigOptions& options) {
  if (options.model.file.empty()) return input_error("model is required (see 'crumple rig --help')");
  if (fs::path(options.output).extension() != ".glb") return input_error(fmt::format("{}: assets are .glb", options.output));
  if (const Result<void> possible = check_output(options.output); !possible) return possible;
  std::error_code ignored;
  if (fs::equivalent(options.output, options.model.file, ignored))
    return input_error(fmt::format("{}: this is the model itself; write the asset to another file", options.output));
  return check_picture(options.look);
}

/// A size that no thing has is refused before anything is made, unless the artist named the unit.
Result<void> check_unit(const RigOptions& options, const TriMesh& mesh) {
  Bounds bounds;
  for (const Vec3& p : mesh.positions) {
    if (p.allFinite()) bounds.add(p);
  }
  const double across = bounds.diagonal();
  if (options.model.unit_given || bounds.empty() || across == 0 || (across > kTiny && across < kHuge)) return {};
  const char* guess = across > kHuge ? "millimetres (--unit mm) or centimetres (--unit cm)" : "kilometres (--unit km) or metres scaled down";
  const std::vector<FarGroup> far = far_groups(mesh);
  const std::string helpers =
      far.empty() ? "" : fmt::format(" (without \"{}\" {:.3g} m: leave helpers out with --without)", far[0].name, far[0].others);
  return input_error(fmt::format("{}: is {:.3g} m across if its unit is the metre{}; name the unit, such as {}; --unit m takes it as it is",
                                 options.model.file, across, helpers, guess));
}

Result<std::optional<Vec3f>> parse_color(const std::string& text) {
  if (text.empty()) return std::optional<Vec3f>();
  const Result<Vec3> shown = parse_place(text, "--color");
  if (!shown) return shown.error();
  if (shown->minCoeff() < 0 || shown->maxCoeff() > 1) return input_error(fmt::format("--color {}: red, green and blue go from 0 to 1", text));
  return std::optional<Vec3f>(Vec3f(linear_from_display(shown->x()), linear_from_display(shown->y()), linear_from_display(shown->z())));
}

void set_look(const std::optional<Vec3f>& color, const Model& model, Asset& asset) {
  if (model.has_look) asset.color = model.look.color, asset.metal = model.look.metal, asset.roughness = model.look.roughness, asset.material = model.material;
  if (color) asset.color = *color;
}

/// Paint follows the vertices that the doctor left.
void set_maps(const Model& model, const RigReport& report, Asset& asset) {
  for (const PaintedMap& map : model.maps) {
    asset.maps.push_back({map.name, {}});
    for (const int v : report.surface_vertices) asset.maps.back().values.push_back(map.values[static_cast<size_t>(v)]);
    add_between(report.surface_parents, asset.maps.back().values);
  }
}

Result<void> draw_handles(const Asset& asset, const std::string& file) {
  LookTile tile = asset_tile(asset, 0);
  for (size_t h = 0; h < asset.handles.size(); ++h) tile.marks[h].label = asset.handles[h].name;
  tile.title = fmt::format("{}: {} handles", asset.name, asset.handles.size());
  LookOptions options;
  options.width = 1024, options.height = 768, options.mark_size = 0.009;
  return draw_tiles({tile}, file, options);
}

Result<Asset> make(const RigOptions& options, RigReport& report) {
  const Result<RigSettings> settings = settings_from(options);
  if (!settings) return settings.error();
  const Result<std::optional<Vec3f>> color = parse_color(options.color);
  if (!color) return color.error();
  const Result<Model> model = read_model(options.model);
  if (!model) return model.error();
  if (const Result<void> good = check_unit(options, model->mesh); !good) return good.error();
  Progress progress(options.progress_options.style(), "rig", kRigStages + 1);
  RigWatch watch;
  watch.cancel = &interrupts();
  watch.stage = [&](int stage, const std::string& name) { progress.update(stage, name); };
  Result<Asset> asset = make_rig(model->mesh, *settings, report, watch);
  if (!asset) return Error{asset.error().kind, fmt::format("{}: {}", options.model.file, asset.error().text)};
  asset->name = options.name.empty() ? fs::path(options.output).stem().string() : options.name;
  set_look(*color, *model, *asset);
  set_maps(*model, report, *asset);
  report.warnings.insert(report.warnings.end(), model->notes.begin(), model->notes.end());
  if (interrupted()) return input_error("interrupted");
  progress.update(kRigStages, "write");
  if (const Result<void> written = io::write_asset(*asset, options.output); !written) return written.error();
  progress.finish();
  return asset;
}

int run(const RigOptions& options) {
  if (const Result<void> possible = check_outputs(options); !possible) return print_error(possible.error());
  const double start = wall_seconds();
  RigReport report;
  const Result<Asset> asset = make(options, report);
  if (interrupted()) return kInterrupted;
  if (!asset) return print_error(asset.error());
  if (!options.look.empty()) {
    const Result<void> drawn = draw_handles(*asset, options.look);
    if (interrupted()) return kInterrupted;
    if (!drawn) return print_error(drawn.error());
  }
  const RigSummary summary = {options.model.file, options.output, options.look, wall_seconds() - start};
  print("{}", options.json ? rig_json(summary, *asset, report) : rig_table(summary, *asset, report));
  return kDone;
}

constexpr const char* kFooter =
    "The surface is repaired as 'crumple doctor' would (a copy of it: what is drawn keeps its seams and holes), filled with tetrahedra that\n"
    "enclose it, given handles and bounded biharmonic weights with a certificate. 'crumple info' measures the certificate again.\n"
    "Without --cells as few cells are used as leave one tenth of the surface thinner than one and a half cells. Where that would take more\n"
    "than --most-tets, thinner parts are carried by tetrahedra about a cell thick, and the report says so; with --strict such models are\n"
    "refused and the message names the cells they need.";

}  // namespace

void add_rig(CLI::App& app, Action& action) {
  auto options = std::make_shared<RigOptions>();
  Command command(app, "rig", "Make an asset from a surface: tetrahedra, handles and weights");
  options->model.add_to(command, false);
  options->model.add_rigid_to(command);
  command.add_option("-o,--output", options->output, "Asset to write (.glb)").required();
  command.add_option("--handles", options->handles, "Handles in all; those not placed are spread over the surface (default 12)")
      .range(0, 1000);
  command.add_option("--handle", options->places, "Place a handle: x,y,z or name=x,y,z in the model's own coordinates").single();
  command.add_option("--cells", options->cells, "Cells along the longest side (default: as thin parts need)").range(2, 1000);
  command.add_option("--most-tets", options->most_tets, "Tetrahedra that may be made if --cells is not given (default 20000)")
      .range(100, 5000000);
  command
      .add_option("--refine", options->edge,
                  "Split triangles of the surface that are too coarse to crease; the longest edge in metres (default: as the handles need)")
      .may_be_bare();
  command.add_flag("--no-mirror", options->no_mirror, "Spread handles by distance alone; otherwise those of a symmetric model are mirror images");
  command.add_flag("--exact", options->exact, "Weights to a residual of 1e-8");
  command.add_flag("--strict", options->strict, "Refuse models with parts too thin for the cells instead of thickening them");
  command.add_option("--color", options->color, "Red, green and blue from 0 to 1, as on a screen");
  command.add_option("--name", options->name, "Of the asset (default: of its file)");
  command.add_option("--picture,--look", options->look, "Picture with the handles and their names (.png)");
  command.add_flag("--json", options->json, "Report as JSON");
  options->progress_options.add_to(command);
  command.footer(kFooter);
  command.callback([options, command, &action] {
    options->model.take_from(command);
    options->refine = command.has("--refine");
    if (options->model.file.empty()) std::swap(options->model.file, options->edge);  // "rig --refine MODEL"
    action = [options] { return run(*options); };
  });
}

}  // namespace crumple::cli
