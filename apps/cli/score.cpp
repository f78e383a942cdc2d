#include <filesystem>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/score_report.h"
#include "apps/cli/score_request.h"
#include "crumple/geometry/choose.h"
#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/display_color.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/io/image.h"

namespace crumple::cli {
namespace {

namespace fs = std::filesystem;

struct ScoreOptions {
  std::string asset, output, look, color, texture;
  std::vector<std::string> only, without, rigid;  // patterns of names of objects and materials
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
    options.settings.cut.color[static_cast<int>(c)] = linear_from_display(value);
  }
  return {};
}

/// A picture on the cut faces.
Result<void> set_texture(ScoreOptions& options) {
  if (options.texture.empty()) return {};
  Result<std::string> bytes = io::read_file(options.texture);
  if (!bytes) return bytes.error();
  Result<Picture> picture = io::decode_any_picture(*bytes, options.texture);
  if (!picture) return picture.error();
  TextureImage image{fs::path(options.texture).stem().string(), io::mime_of(*bytes), std::move(*bytes), std::make_shared<const Picture>(std::move(*picture))};
  options.settings.cut.color_texture.image = std::make_shared<const TextureImage>(std::move(image));
  if (options.color.empty()) options.settings.cut.color = Vec3f::Ones();
  return {};
}

/// Leaves parts of the surface out, and marks those that are not cut.
Result<void> choose_parts(ScoreOptions& options, Asset& asset) {
  const Result<std::vector<bool>> unwanted = matching_triangles(asset.surface, options.without, "--without");
  if (!unwanted) return unwanted.error();
  if (!options.without.empty()) {
    std::vector<int> kept, vertices;
    for (size_t t = 0; t < unwanted->size(); ++t) {
      if (!(*unwanted)[t]) kept.push_back(static_cast<int>(t));
    }
    if (kept.empty()) return input_error(fmt::format("{}: --without leaves nothing of it", options.asset));
    asset.surface = part_of(asset.surface, kept, &vertices);
    for (PaintedMap& map : asset.maps) {
      std::vector<float> values;
      for (const int v : vertices) values.push_back(map.values[static_cast<size_t>(v)]);
      map.values = std::move(values);
    }
  }
  const Result<std::vector<bool>> cut = matching_triangles(asset.surface, options.only, "--only"), rigid = matching_triangles(asset.surface, options.rigid, "--rigid");
  if (!cut) return cut.error();
  if (!rigid) return rigid.error();
  for (size_t t = 0; t < asset.surface.triangles.size(); ++t) options.settings.whole.push_back((*rigid)[t] || (!options.only.empty() && !(*cut)[t]));
  return {};
}

int run(ScoreOptions options) {
  if (const Result<void> fine = check_options(options); !fine) return print_error(fine.error());
  if (const Result<void> set = set_color(options); !set) return print_error(set.error());
  if (const Result<void> set = set_texture(options); !set) return print_error(set.error());
  Result<Asset> asset = io::read_asset(options.asset);
  if (!asset) return print_error(asset.error());
  if (asset->flat) return print_error(input_error(fmt::format("{}: is a drawing; this is for solid assets", options.asset)));
  if (asset->pieces)
    return print_error(input_error(
        fmt::format("{}: is scored already, into {} pieces; score the asset from which it was made", options.asset, asset->pieces->count())));
  if (const Result<void> chosen = choose_parts(options, *asset); !chosen) return print_error(chosen.error());
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
  command.add_option("--cut-texture", options->texture, "Picture for cut faces (.png, .jpg); one covers a square metre");
  command.add_option("--only", options->only, "Pattern of the names of objects or materials to cut; the others go whole to the piece around their middle; may be repeated").single();
  command.add_option("--rigid", options->rigid, "Pattern of the names of objects or materials that are not cut; may be repeated").single();
  command.add_option("--without", options->without, "Pattern of the names of objects or materials to leave out of what is drawn; may be repeated").single();
  command.add_option("--picture,--look", options->look, "FILE.png: draw the pieces, pulled apart");
  command.add_flag("--json", options->json, "Report as JSON");
  command.footer(kScoreFooter);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
