#include "assets/generator/solid_and_skin.h"

#include "crumple/math/single.h"

#include <limits>
#include <set>
#include <utility>

namespace crumple::generator {
namespace {

Result<TetMesh> filled(const Design& design) {
  TriMesh solid = design.surface;
  repair(solid);
  LatticeSettings settings;
  settings.cells = design.cells;
  settings.repair = false;
  settings.thin_allowed = design.thin_allowed;
  settings.enclose = design.enclose;
  LatticeReport report;
  return fill_with_tets(solid, settings, report);
}

}  // namespace

Result<std::vector<Handle>> settled_handles(const Design& design) {
  const Result<TetMesh> tets = filled(design);
  if (!tets) return tets.error();
  std::set<int> left;
  for (const Triangle& face : boundary_faces(*tets)) left.insert(face.begin(), face.end());
  std::vector<Handle> handles = design.handles;
  for (Handle& handle : handles) {
    int nearest = -1;
    double least = std::numeric_limits<double>::max();
    for (const int v : left) {
      const double distance = (tets->positions[v] - handle.position).norm();
      if (distance < least) nearest = v, least = distance;
    }
    if (nearest < 0) return input_error("the handle \"" + handle.name + "\" finds no vertex that is left");
    left.erase(nearest);
    handle.position = tets->positions[nearest];
  }
  return handles;
}

Result<Asset> author_within(Design design, const std::function<std::vector<Sketch>(const std::vector<Handle>&)>& examples, TriMesh drawn) {
  Result<std::vector<Handle>> handles = settled_handles(design);
  if (!handles) return handles.error();
  design.handles = std::move(*handles);
  design.examples = examples(design.handles);
  Result<Asset> asset = author(design);
  if (!asset) return asset;
  for (Vec3& point : drawn.positions) point = to_single(point);  // as a file holds them
  asset->surface = std::move(drawn);
  return asset;
}

}  // namespace crumple::generator
