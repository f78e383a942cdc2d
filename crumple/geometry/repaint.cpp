#include "crumple/geometry/repaint.h"

#include <algorithm>
#include <array>
#include <map>

namespace crumple {
namespace {

using Rgb = std::array<float, 3>;

Rgb color_at(const TriMesh& surface, int vertex) {
  const Vec3f& color = surface.colors[static_cast<size_t>(vertex)];
  return {color.x(), color.y(), color.z()};
}

/// Area of each colour, m^2; a triangle whose corners differ counts a third for each.
std::map<Rgb, double> areas_of_colors(const TriMesh& surface) {
  std::map<Rgb, double> areas;
  for (const Triangle& triangle : surface.triangles) {
    const Vec3& a = surface.positions[static_cast<size_t>(triangle[0])];
    const Vec3 ab = surface.positions[static_cast<size_t>(triangle[1])] - a, ac = surface.positions[static_cast<size_t>(triangle[2])] - a;
    for (const int v : triangle) areas[color_at(surface, v)] += ab.cross(ac).norm() / 6;
  }
  return areas;
}

}  // namespace

TriMesh repainted(TriMesh surface, const Vec3f& paint) {
  if (surface.colors.size() != surface.positions.size()) return surface;
  const std::map<Rgb, double> areas = areas_of_colors(surface);
  if (areas.empty()) return surface;
  const Rgb main = std::ranges::max_element(areas, {}, [](const auto& entry) { return entry.second; })->first;
  for (size_t v = 0; v < surface.colors.size(); ++v) {
    if (color_at(surface, static_cast<int>(v)) == main) surface.colors[v] = paint;
  }
  return surface;
}

}  // namespace crumple
