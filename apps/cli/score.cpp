#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/score_report.h"
#include "apps/cli/score_request.h"
#include "crumple/io/display_color.h"
#include "crumple/io/gltf_asset.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct ScoreOptions {
  std::string asset, output, look, color;
  ScoreRequest request;
  ScoreSettings settings;
  bool json = false;
};

Result<void> check_options(const ScoreOptions& options) {
  if (fs::path(options.output).extension() != ".glb")
    return input_error(fmt::format("{}: assets are written as .glb; name one with -o", options.output));
  if (!options.look.empty() && fs::path(options.look).extension() != ".png") return input_error(fmt::format("{}: a look is a .png", options.look));
  for (const std::string& file : {options.output, options.look}) {
    if (const Result<void> possible = check_output(file); !possible) return possible;
  }
  return check_request(options.request);
}

Result<void> set_color(ScoreOptions& options) {
  if (options.color.empty()) return {};
  const Result<std::vector<double>> shown = parse_numbers(options.color, 3, "--cut-color", "0.6,0.6,0.55");
  if (!shown) return shown.error();
  for (size_t c = 0; c < 3; ++c) {
    const double value = (*shown)[c];
    if (!(value >= 0 && value <= 1)) return input_error(fmt::format("--cut-color {}: red, green and blue go from 0 to 1", options.color));
    options.settings.cut.color[static_cast<int>(c)] = io::linear_from_display(value);
  }
  return {};
}

int run(ScoreOptions options) {
  if (const Result<void> fine = check_options(options); !fine) return print_error(fine.error());
  if (const Result<void> set = set_color(options); !set) return print_error(set.error());
  Result<Asset> asset = io::read_asset(options.asset);
  if (!asset) return print_error(asset.error());
  if (asset->flat) return print_error(input_error(fmt::format("{}: is a drawing; this is for solid assets", options.asset)));
  if (asset->pieces)
    return print_error(input_error(
        fmt::format("{}: is scored already, into {} pieces; score the asset from which it was made", options.asset, asset->pieces->count())));
  const Result<std::vector<ConvexCell>> cells = cells_for(*asset, options.request);
  if (!cells) return print_error(cells.error());
  const Result<ScoreReport> report = score_asset(*asset, *cells, options.settings);
  if (!report) return print_error(report.error());
  if (interrupted()) return kInterrupted;
  if (const Result<void> written = io::write_asset(*asset, options.output); !written) return print_error(written.error());
  print("{}", options.json ? write_json(score_json(options.output, *asset, *report)) + "\n" : score_table(options.output, *asset, *report));
  if (options.look.empty()) return kDone;
  if (const Result<void> drawn = draw_scored(*asset, options.look); !drawn)
    return interrupted() ? static_cast<int>(kInterrupted) : print_error(drawn.error());
  if (!options.json) print("  {:<12} {}\n", "picture", options.look);
  return kDone;
}

constexpr const char* kScoreFooter =
    "Cuts go exactly through tetrahedra and through what is drawn; cut faces are closed and have a material and texture coordinates of their own.\n"
    "Pieces are held together by links that break in a scene with \"pieces\": {\"strength\": N s per square metre}. Planes, balls and shells are in\n"
    "the asset's rest metres. A file of shells holds closed convex surfaces: those of one group (OBJ) or node (GLB) name are one piece, and what\n"
    "they leave of the body is a piece, too.";

}  // namespace

void add_score(CLI::App& app, Action& action) {
  auto options = std::make_shared<ScoreOptions>();
  Command command(app, "score", "Cut an asset into pieces that can break off");
  command.add_option("asset", options->asset, "ASSET.glb").required();
  command.add_option("-o,--output", options->output, "OUT.glb").required();
  command.add_option("--plane", options->request.planes, "nx,ny,nz,d: cut along n.x = d; may be given often").single();
  command.add_option("--voronoi", options->request.voronoi, "N: cells around as many places in the body");
  command.add_option("--seed", options->request.seed, "Of those places (default 1)");
  command.add_option("--around", options->request.around, "x,y,z,r: most of those places within a ball");
  command.add_option("--pieces", options->request.shells, "FILE: closed convex shells that hold the pieces");
  command.add_option("--sliver", options->settings.sliver, "Smaller parts are merged into a neighbour: share of the volume (default 1e-4)");
  command.add_option("--most", options->settings.most, "Pieces there may be at most (default 64)");
  command.add_option("--cut-color", options->color, "Red, green and blue of cut faces from 0 to 1, as on a screen");
  command.add_option("--picture,--look", options->look, "FILE.png: draw the pieces, pulled apart");
  command.add_flag("--json", options->json, "Report as JSON");
  command.footer(kScoreFooter);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
