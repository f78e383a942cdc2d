#include "crumple/rig/paint.h"

#include <cassert>
#include <utility>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"

namespace crumple {
namespace {

constexpr size_t kGrain = 256;

}  // namespace

std::vector<PaintedMap> maps_on_points(std::span<const PaintedMap> maps, const TriMesh& surface, std::span<const Vec3> points) {
  std::vector<PaintedMap> result;
  for (const PaintedMap& map : maps) {
    assert(map.values.size() == surface.positions.size());
    result.push_back({map.name, std::vector<float>(points.size(), 1.0f)});
  }
  if (maps.empty() || surface.triangles.empty()) return result;
  const TriangleTree tree(surface.positions, surface.triangles);
  parallel_for(points.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t p = begin; p < end; ++p) {
      const TriangleTree::Hit nearest = tree.closest(points[p]);
      if (nearest.triangle < 0) continue;
      const Triangle& triangle = surface.triangles[static_cast<size_t>(nearest.triangle)];
      for (size_t m = 0; m < maps.size(); ++m) result[m].values[p] = static_cast<float>(factor_at(maps[m].values, triangle, nearest.barycentric));
    }
  });
  return result;
}

PaintedFactors painted_factors(const Asset& asset) {
  PaintedFactors factors;
  for (PaintedMap& map : maps_on_points(asset.maps, asset.surface, asset.tets.positions)) {
    for (const auto& [name, knob] :
         {std::pair{"yield", &factors.yield}, {"gain", &factors.gain}, {"radius", &factors.radius}, {"strength", &factors.strength}, {"toughness", &factors.toughness}, {"stiffness", &factors.stiffness}, {"flow", &factors.flow}}) {
      if (map.name == name) *knob = std::move(map.values);
    }
  }
  return factors;
}

}  // namespace crumple
