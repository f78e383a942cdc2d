#include "crumple/geometry/repaint.h"

#include <algorithm>
#include <array>
#include <map>

namespace crumple {
namespace {

using Rgb = std::array<float, 3>;

/// Area of each colour, m^2; a triangle whose corners differ counts a third for each.
std::map<Rgb, double> areas_of_colors(const TriMesh& surface) {
  std::map<Rgb, double> areas;
  for (const Triangle& triangle : surface.triangles) {
    const Vec3& a = surface.positions[static_cast<size_t>(triangle[0])];
    const Vec3 ab = surface.positions[static_cast<size_t>(triangle[1])] - a, ac = surface.positions[static_cast<size_t>(triangle[2])] - a;
    for (const int v : triangle) {
      const Vec3f& color = surface.colors[static_cast<size_t>(v)];
      areas[{color.x(), color.y(), color.z()}] += ab.cross(ac).norm() / 6;
    }
  }
  return areas;
}

bool is_grey(const Vec3f& color) {
  return color.maxCoeff() - color.minCoeff() < 0.2f * color.maxCoeff();
}

/// How many times as bright `color` is, if it is a shade of `main`; otherwise 0. Greys have no shades: steel, rubber and chrome differ in
/// nothing else.
float shade_of(const Vec3f& color, const Vec3f& main) {
  if (color == main) return 1;
  const float factor = color.dot(main) / main.squaredNorm();
  const bool same_hue = (color - factor * main).norm() < 0.03f * color.norm();
  return same_hue && !is_grey(main) && factor > 0.5f && factor < 2 ? factor : 0;
}

}  // namespace

Vec3f main_color(const TriMesh& surface) {
  if (surface.colors.size() != surface.positions.size()) return Vec3f::Zero();
  const std::map<Rgb, double> areas = areas_of_colors(surface);
  if (areas.empty()) return Vec3f::Zero();
  const Rgb main = std::ranges::max_element(areas, {}, [](const auto& entry) { return entry.second; })->first;
  return {main[0], main[1], main[2]};
}

TriMesh repainted(TriMesh surface, const Vec3f& main, const Vec3f& paint) {
  for (Vec3f& color : surface.colors) {
    if (const float shade = shade_of(color, main); shade > 0) color = (shade * paint).cwiseMin(1.0f);
  }
  return surface;
}

}  // namespace crumple
