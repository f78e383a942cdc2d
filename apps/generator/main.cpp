#include "crumple/io/gltf_asset.h"
#include "apps/generator/crate.h"
#include "apps/generator/drum.h"
#include "apps/generator/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

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

Result<void> write_all(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return system_error(fmt::format("{}: cannot make this folder: {}", folder.string(), failed.message()));
  for (const Asset& asset : {make_drum(), make_painted_drum(), make_crate()}) {
    const std::filesystem::path file = folder / (asset.name + ".glb");
    if (auto written = io::write_asset(asset, file); !written) return written.error();
    print_figures(asset);
  }
  return {};
}

}  // namespace
}  // namespace crumple::generator

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: crumple-assets FOLDER    writes drum.glb, painted_drum.glb and crate.glb there\n");
    return 2;
  }
  const auto written = crumple::generator::write_all(argv[1]);
  if (!written) fmt::print(stderr, "crumple-assets: {}\n", written.error().text);
  return written ? 0 : 1;
}
