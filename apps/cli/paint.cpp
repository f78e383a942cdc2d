#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/model.h"
#include "crumple/geometry/bvh.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/paint.h"

namespace crumple::cli {
namespace {

constexpr double kFarOff = 0.02;  // of the asset's diagonal: beyond, the model lies somewhere else

struct PaintOptions {
  std::string asset, output;
  ModelOptions model;
};

/// Paint goes to the nearest place, which means nothing if the two do not lie in each other.
Result<void> check_place(const Asset& asset, const TriMesh& model, const std::string& file) {
  const TriangleTree tree(model.positions, model.triangles);
  double farthest = 0;
  for (const Vec3& p : asset.surface.positions) farthest = std::max(farthest, tree.closest(p).distance);
  const double size = bounds_of(asset.surface.positions).diagonal();
  if (farthest <= kFarOff * size) return {};
  return input_error(
      fmt::format("{}: the asset's surface is up to {:.3g} m away from it (the asset is {:.3g} m across); save the model in the asset's place and "
                  "size, or say its --unit and --up",
                  file, farthest, size));
}

Result<Asset> painted(const PaintOptions& options) {
  Result<Asset> asset = io::read_asset(options.asset);
  if (!asset) return asset.error();
  if (asset->flat) return input_error(fmt::format("{}: is a drawing; this is for solid assets", options.asset));
  const Result<Model> model = read_model(options.model);
  if (!model) return model.error();
  if (model->maps.empty()) {
    return input_error(fmt::format("{}: nothing is painted on it; give a GLB with vertex attributes _YIELD, _GAIN, _RADIUS or _STRENGTH", options.model.file));
  }
  if (const Result<void> there = check_place(*asset, model->mesh, options.model.file); !there) return there.error();
  asset->maps = maps_on_points(model->maps, model->mesh, asset->surface.positions);
  return asset;
}

int run(const PaintOptions& options) {
  const std::string& file = options.output.empty() ? options.asset : options.output;
  if (std::filesystem::path(file).extension() != ".glb")
    return print_error(input_error(fmt::format("{}: assets are written as .glb; name one with -o", file)));
  if (const Result<void> possible = check_output(file); !possible) return print_error(possible.error());
  const Result<Asset> asset = painted(options);
  if (!asset) return print_error(asset.error());
  if (const Result<void> written = io::write_asset(*asset, file); !written) return print_error(written.error());
  print("{}\n", file);
  for (const PaintedMap& map : asset->maps) {
    const auto [low, high] = std::minmax_element(map.values.begin(), map.values.end());
    print("  {:<12} painted {:.3g} to {:.3g}\n", map.name, *low, *high);
  }
  return kDone;
}

}  // namespace

void add_paint(CLI::App& app, Action& action) {
  auto options = std::make_shared<PaintOptions>();
  Command command(app, "paint", "Take painted strength over from a model to an asset made from it");
  command.add_option("asset", options->asset, "Asset to paint (.glb); its own paint is replaced").required();
  options->model.add_to(command);
  command.add_option("-o,--output", options->output, "FILE.glb (default: the asset itself)");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
