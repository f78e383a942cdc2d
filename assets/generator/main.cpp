#include "crumple/io/gltf_asset.h"
#include "crumple/io/mesh_file.h"
#include "assets/generator/bridge.h"
#include "assets/generator/container.h"
#include "assets/generator/crane.h"
#include "assets/generator/crate.h"
#include "assets/generator/cruiser.h"
#include "assets/generator/drum.h"
#include "assets/generator/fighter.h"
#include "assets/generator/mailbox.h"
#include "assets/generator/measure.h"
#include "assets/generator/models.h"
#include "assets/generator/plank.h"
#include "assets/generator/sedan.h"
#include "assets/generator/ship.h"
#include "assets/generator/wall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace crumple::generator {
namespace {

void print_figures(const Asset& asset) {
  const Skin skin = build_skin(asset);
  fmt::print("{}: {} vertices, {} tetrahedra, {} handles; surface of {} vertices, {} triangles\n", asset.name, asset.tets.positions.size(),
             asset.tets.tets.size(), asset.handles.size(), asset.surface.positions.size(), asset.surface.triangles.size());
  for (int e = 1; e < int(asset.examples.size()); ++e) {
    const auto turns = turns_of(asset.examples[e]);
    fmt::print("  {}: {} handles turn, at most {:.0f} degrees; inside out: {} at the pose, {} half way\n", asset.examples[e].name,
               std::count_if(turns.begin(), turns.end(), [](double turn) { return turn > 1; }), *std::max_element(turns.begin(), turns.end()),
               inverted_count(asset.tets, example_shape(skin, e)), inverted_count(asset.tets, blended(skin, e, 0.5)));
  }
  const Coverage coverage = coverage_of(skin, asset.tets);
  fmt::print("  hits from outside: some example follows with a cosine of at least {:.2f} and {:.3f} m\n",
             *std::min_element(coverage.cosines.begin(), coverage.cosines.end()), *std::min_element(coverage.depths.begin(), coverage.depths.end()));
}

struct Maker {
  std::string_view name;
  Result<Asset> (*make)();
};
constexpr std::array kMakers{
    Maker{"drum", [] { return Result<Asset>(make_drum()); }},
    Maker{"painted_drum", [] { return Result<Asset>(make_painted_drum()); }},
    Maker{"crate", [] { return Result<Asset>(make_crate()); }},
    Maker{"plank", make_plank},
    Maker{"sedan", make_sedan},
    Maker{"sedan_scored", make_sedan_scored},
    Maker{"wall", make_wall},
    Maker{"container", make_container},
    Maker{"crane", make_crane},
    Maker{"small_ship", make_small_ship},
    Maker{"large_ship", make_large_ship},
    Maker{"bridge_deck", make_bridge_deck},
    Maker{"fighter", make_fighter},
    Maker{"cruiser", make_cruiser},
};

std::vector<std::string_view> maker_names() {
  std::vector<std::string_view> names;
  for (const Maker& maker : kMakers) names.push_back(maker.name);
  for (const Model& model : models()) names.push_back(model.name);
  return names;
}

Result<void> write_one(const Maker& maker, const std::filesystem::path& folder) {
  const auto asset = maker.make();
  if (!asset) return asset.error();
  if (auto written = io::write_asset(*asset, folder / (asset->name + ".glb")); !written) return written;
  print_figures(*asset);
  return {};
}

Result<void> write_assets(const std::filesystem::path& folder, const std::vector<std::string_view>& wanted) {
  std::error_code failed;
  std::filesystem::create_directories(folder / "models", failed);
  if (failed) return system_error(fmt::format("{}: cannot make this folder: {}", folder.string(), failed.message()));
  for (const std::string_view name : wanted) {
    if (const auto model = std::ranges::find(models(), name, &Model::name); model != models().end()) {
      if (auto written = write_model(*model, folder / "models"); !written) return written;
      continue;
    }
    const auto maker = std::find_if(kMakers.begin(), kMakers.end(), [&](const Maker& m) { return m.name == name; });
    if (maker == kMakers.end()) return input_error(fmt::format("{}: there is no such asset; there are {}", name, fmt::join(maker_names(), ", ")));
    if (auto written = write_one(*maker, folder); !written) return written;
  }
  return {};
}

}  // namespace
}  // namespace crumple::generator

int main(int argc, char** argv) {
  using namespace crumple::generator;
  if (argc < 2 || argv[1][0] == '-') {
    fmt::print(stderr, "usage: crumple-assets FOLDER [NAME...]    writes these (or all) assets there: {}\n", fmt::join(maker_names(), ", "));
    return 2;
  }
  const std::vector<std::string_view> names(argv + 2, argv + argc);
  auto written = write_assets(argv[1], names.empty() ? maker_names() : names);
  // A surface that is still to be rigged, for the page about authoring.
  if (written && names.empty()) written = crumple::io::write_mesh(mailbox_model(), std::filesystem::path(argv[1]) / "models" / "mailbox.obj");
  if (!written) fmt::print(stderr, "crumple-assets: {}\n", written.error().text);
  return written ? 0 : 1;
}
