#include <algorithm>

#include "crumple/geometry/cut_surface.h"
#include "crumple/geometry/places.h"
#include "crumple/geometry/rings.h"
#include "crumple/geometry/surface_clip.h"

namespace crumple {

ClosedReport measure_closed(std::span<const TriMesh* const> parts) {
  std::vector<Vec3> points;
  for (const TriMesh* part : parts) points.insert(points.end(), part->positions.begin(), part->positions.end());
  const Places places = find_places(points);
  const Bounds bounds = bounds_of(places.positions);
  const Vec3 middle = bounds.empty() ? Vec3::Zero() : Vec3(0.5 * (bounds.low + bounds.high));
  ClosedReport report;
  report.closed = true;
  std::vector<DirectedEdge> edges;
  Vec3 normals = Vec3::Zero();
  int base = 0;
  for (const TriMesh* part : parts) {
    const int count = static_cast<int>(part->positions.size());
    for (const Triangle& triangle : part->triangles) {
      Triangle at;
      bool good = true;
      for (size_t k = 0; k < 3; ++k) {
        at[k] = triangle[k] >= 0 && triangle[k] < count ? places.of[static_cast<size_t>(base + triangle[k])] : -1;
        good &= at[k] >= 0;
      }
      report.closed &= good;
      if (!good) continue;
      const Vec3 a = places.positions[static_cast<size_t>(at[0])] - middle, b = places.positions[static_cast<size_t>(at[1])] - middle,
                 c = places.positions[static_cast<size_t>(at[2])] - middle;
      report.volume += a.dot(b.cross(c)) / 6.0;
      normals += 0.5 * (b - a).cross(c - a);
      for (size_t k = 0; k < 3; ++k) edges.push_back({at[k], at[(k + 1) % 3]});
    }
    base += count;
  }
  report.closed &= without_pairs(std::move(edges)).empty();
  report.gap = normals.norm();
  return report;
}

}  // namespace crumple
