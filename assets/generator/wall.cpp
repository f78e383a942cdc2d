#include "assets/generator/wall.h"

#include "crumple/core/random.h"
#include "crumple/geometry/cells.h"
#include "crumple/geometry/lattice.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rig/rigged_body.h"
#include "crumple/rig/score.h"

#include <vector>

namespace crumple::generator {
namespace {

const Vec3 kSize(0.16, 2, 2.4);  // m: across, up, along
constexpr int kStones = 26;

/// Places of the cells, denser in the middle, where it will be hit.
std::vector<Vec3> stones() {
  Random random(5);
  std::vector<Vec3> places;
  while (places.size() < kStones) {
    const Vec3 p(random.range(-0.5, 0.5) * kSize.x(), random.range(-0.5, 0.5) * kSize.y(), random.range(-0.5, 0.5) * kSize.z());
    const double apart = 0.16 + 0.22 * p.tail<2>().norm();
    bool fits = true;
    for (const Vec3& other : places) fits = fits && (p - other).norm() > apart;
    if (fits) places.push_back(p);
  }
  return places;
}

}  // namespace

Result<Asset> make_wall() {
  Asset asset;
  asset.name = "wall";
  asset.surface = make_box(kSize);
  LatticeSettings settings;
  settings.cells = 30, settings.thin_allowed = 1;
  LatticeReport filled;
  Result<TetMesh> tets = fill_with_tets(asset.surface, settings, filled);
  if (!tets) return tets.error();
  asset.tets = std::move(*tets);
  asset.handles = {{"all", Vec3::Zero()}};
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  asset.examples = {{"rest", {HandleTransform()}}};
  asset.color = Vec3f(0.42f, 0.40f, 0.37f), asset.roughness = 0.85;
  order_vertices(asset);
  Bounds room = bounds_of(asset.tets.positions);
  room.low -= Vec3::Constant(0.05), room.high += Vec3::Constant(0.05);
  ScoreSettings score;
  score.cut = cut_material(Vec3f(0.36f, 0.33f, 0.29f));
  const Result<ScoreReport> report = score_asset(asset, voronoi_cells(stones(), room), score);
  if (!report) return report.error();
  return asset;
}

}  // namespace crumple::generator
