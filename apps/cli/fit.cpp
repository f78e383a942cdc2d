#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/look.h"
#include "apps/cli/mesh_findings.h"
#include "apps/cli/model.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/shape_files.h"
#include "crumple/rig/fit.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct FitOptions {
  std::vector<std::string> files, names, only;
  std::string output, look, align = "auto";
  int bones = 0, cells = 0;
  double error = 0.3;  // per cent
  ModelOptions frame;
  ProgressOptions progress_options;
};

FitSettings settings_of(const FitOptions& options) {
  FitSettings settings;
  settings.bones = options.bones, settings.cells = options.cells, settings.wanted = 0.01 * options.error;
  settings.align = options.align == "always"  ? FitSettings::Align::Always
                   : options.align == "never" ? FitSettings::Align::Never
                                              : FitSettings::Align::Auto;
  return settings;
}

Result<void> check_options(const FitOptions& options) {
  if (fs::path(options.output).extension() != ".glb") return input_error(fmt::format("{}: an asset is a .glb", options.output));
  for (const std::string& file : options.files) {
    std::error_code ignored;
    if (fs::equivalent(file, options.output, ignored)) return input_error(fmt::format("{}: would be overwritten; give the asset another name", file));
  }
  if (!options.only.empty() && options.files.size() > 1)
    return input_error("--only is for one .glb that holds several shapes; leave out files instead");
  if (Result<void> possible = check_output(options.output); !possible) return possible;
  return check_picture(options.look);
}

/// The shapes of all files in metres, y up, under the names wanted.
Result<io::ShapeSet> read_shapes(const FitOptions& options) {
  io::ShapeSettings settings;
  settings.only = options.only;
  const std::vector<fs::path> files(options.files.begin(), options.files.end());
  Result<io::ShapeSet> set = io::read_shape_files(files, settings);
  if (!set) return set;
  if (options.names.size() > set->shapes.size())
    return input_error(fmt::format("{} names are given for {} examples", options.names.size(), set->shapes.size()));
  for (Vec3& p : set->rest.positions) p = options.frame.to_asset(p);
  for (size_t i = 0; i < set->shapes.size(); ++i) {
    for (Vec3& p : set->shapes[i].positions) p = options.frame.to_asset(p);
    if (i < options.names.size()) set->shapes[i].name = options.names[i];
  }
  return set;
}

/// Stages as one bar; tetrahedra may be made more than once, which does not run it backwards.
class FitProgress {
 public:
  FitProgress(const FitOptions& options) : progress_(options.progress_options.style(), "fit", 1000) {}
  FitWatch watch() {
    FitWatch watch;
    watch.cancel = &interrupts();
    watch.stage = [this](int stage, const std::string& name, double share) {
      constexpr double kFrom[kFitStages + 1] = {0, 150, 250, 980, 1000};
      done_ = std::max(done_, static_cast<long>(kFrom[stage] + share * (kFrom[stage + 1] - kFrom[stage])));
      progress_.update(done_, name);
    };
    return watch;
  }

 private:
  Progress progress_;
  long done_ = 0;
};

void tell(const FitOptions& options, const Asset& asset, const FitReport& report) {
  print("{}: {} bones, {} examples, {} tetrahedra with {} vertices (cells of {:.3g} m, {} along the longest side), {} surface vertices\n",
             options.output, report.bones, report.examples.size(), report.lattice.tets, report.lattice.vertices, report.lattice.cell_size,
             report.cells, asset.surface.positions.size());
  size_t width = 7;
  for (const FittedExample& example : report.examples) width = std::max(width, example.name.size());
  print("  {:<{}}  rms %   max %   worst at (m)\n", "example", width);
  for (const FittedExample& example : report.examples) {
    print("  {:<{}}  {:<6.3f}  {:<6.3f}  {:.3g} {:.3g} {:.3g}\n", example.name, width, 100 * example.rms, 100 * example.most,
               example.worst_at.x(), example.worst_at.y(), example.worst_at.z());
  }
  print("  errors are of the surface as it will be seen, in per cent of the diagonal of {:.4g} m\n", report.diagonal);
  const FitReport::Seconds& s = report.seconds;
  print("  seconds: tetrahedra {:.2f}, carry {:.2f}, bones {:.2f}, measure {:.2f}\n", s.tets, s.carry, s.bones, s.measure);
  for (const std::string& warning : report.warnings) print("  note: {}\n", warning);
}

/// Every example as it was given beside what the bones make of it.
Result<void> draw(const FitOptions& options, const Asset& asset, const io::ShapeSet& given, const FitReport& report) {
  std::vector<LookTile> tiles;
  for (size_t e = 0; e < report.examples.size(); ++e) {
    const FittedExample& fitted = report.examples[e];
    LookTile made = asset_tile(asset, static_cast<int>(e) + 1), sculpted = made;
    const auto& shape = given.shapes[fitted.given].positions;
    const Transform back = fitted.motion.inverse();
    for (size_t v = 0; v < shape.size(); ++v) sculpted.positions[v] = (back * shape[v]).cast<float>();
    sculpted.marks.clear();
    sculpted.title = fmt::format("{}: as given", fitted.name);
    made.title = fmt::format("{}: {} bones, max error {:.2f} %", fitted.name, report.bones, 100 * fitted.most);
    tiles.push_back(std::move(sculpted)), tiles.push_back(std::move(made));
  }
  LookOptions look;
  look.columns = tiles.size() > 8 ? 4 : 2;
  return draw_tiles(tiles, options.look, look);
}

int run(const FitOptions& options) {
  if (Result<void> good = check_options(options); !good) return print_error(good.error());
  Result<io::ShapeSet> set = read_shapes(options);
  if (!set) return print_error(set.error());
  ModelOptions rest = options.frame;
  rest.file = options.files[0];
  Result<Model> model = read_model(rest);  // for its paint and its look
  if (!model) return print_error(model.error());
  std::vector<FitExample> examples;
  for (const io::ShapeSet::Shape& shape : set->shapes) examples.push_back({shape.name, shape.positions});
  FitReport report;
  Result<Asset> asset = [&] {
    FitProgress progress(options);
    return fit_rig(set->rest, std::move(examples), settings_of(options), report, progress.watch());
  }();
  if (interrupted()) return kInterrupted;
  if (!asset) return print_error({asset.error().kind, fmt::format("{}: {}", options.files[0], asset.error().text)});
  asset->name = fs::path(options.output).stem().string();
  take_plain_material(asset->surface);
  asset->maps = std::move(model->maps);
  if (model->has_look) asset->color = model->look.color, asset->metal = model->look.metal, asset->roughness = model->look.roughness, asset->material = model->material;
  if (Result<void> written = io::write_asset(*asset, options.output); !written) return print_error(written.error());
  for (const std::vector<std::string>* notes : {&model->notes, &set->warnings}) report.warnings.insert(report.warnings.begin(), notes->begin(), notes->end());
  tell(options, *asset, report);
  if (options.look.empty()) return kDone;
  if (Result<void> drawn = draw(options, *asset, *set, report); !drawn) return interrupted() ? kInterrupted : print_error(drawn.error());
  print("{}\n", options.look);
  return kDone;
}

}  // namespace

void add_fit(CLI::App& app, Action& action) {
  auto options = std::make_shared<FitOptions>();
  Command command(app, "fit", "Turn shapes made in any tool into an asset: bones, weights and an example for each shape");
  command
      .add_option("files", options->files,
                   "REST.obj EXAMPLE.obj... with the same vertices in the same order (.obj, .ply, .stl); or one .glb with shape keys or animations")
      .required();
  command.add_option("-o,--output", options->output, "Asset to write (.glb)").required();
  command.add_option("--bones", options->bones, "Number of bones (default: the fewest that reach --error, at most 32)").range(1, 64);
  command.add_option("--error", options->error, "Root mean square error wanted, per cent of the diagonal (default 0.3)")
      .range(0.001, 50.0);
  command
      .add_option("--cells", options->cells, "Cells of tetrahedra along the longest side (default: what thin parts and the examples' detail need)")
      .range(2, 1000);
  options->frame.add_frame_to(command);
  command.add_option("--name", options->names, "Names of the examples in their order (default: those of the files, shape keys or animations)").single();
  command.add_option("--only", options->only, "Names of the shapes to take from a .glb (default: all)").single();
  command.add_option("--align", options->align, "Take out motions of the whole: auto (only if nothing stayed in place), always, never")
      .one_of({"auto", "always", "never"});
  command.add_option("--picture,--look", options->look, "FILE.png: draw each example as given beside what the bones make of it");
  options->progress_options.add_to(command);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
