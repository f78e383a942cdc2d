#include "crumple/io/export_check.h"

#include <fmt/format.h>

namespace crumple::io {
namespace {

/// Nothing times zero is zero, unless it is not finite.
template <class Points>
bool all_finite(const Points& points) {
  double sum = 0;
  for (const auto& point : points)
    sum += static_cast<double>(point.x()) * 0 + static_cast<double>(point.y()) * 0 + static_cast<double>(point.z()) * 0;
  return sum == 0;
}

}  // namespace

bool is_drawn(const FrameItem& item) {
  return item.look.visible && item.surface && !item.surface->triangles.empty();
}

std::string trouble_with_surface(const TriMesh& mesh) {
  if (!all_finite(mesh.positions)) return "its rest surface is not finite";
  const auto count = static_cast<int>(mesh.positions.size());
  for (const Triangle& triangle : mesh.triangles) {
    for (const int corner : triangle) {
      if (corner < 0 || corner >= count) return fmt::format("a triangle of its surface names vertex {} of {}", corner, count);
    }
  }
  if (!mesh.uvs.empty() && mesh.uvs.size() != mesh.positions.size()) return "its surface has another number of texture coordinates than vertices";
  for (const Vec2f& uv : mesh.uvs) {
    if (!uv.allFinite()) return "its texture coordinates are not finite";
  }
  return {};
}

bool same_surface(const TriMesh& a, const TriMesh& b) {
  return &a == &b || (a.triangles == b.triangles && a.positions == b.positions && a.uvs == b.uvs && a.colors == b.colors && a.materials == b.materials && a.material == b.material);
}

std::string trouble_with_item(const FrameItem& item) {
  if (!item.surface) return "it has no surface";
  const size_t count = item.surface->positions.size();
  if (!item.positions.empty() && item.positions.size() != count)
    return fmt::format("it has {} positions for {} vertices", item.positions.size(), count);
  if (!item.colors.empty() && item.colors.size() != count) return fmt::format("it has {} colours for {} vertices", item.colors.size(), count);
  if (!all_finite(item.positions) || !all_finite(item.colors)) return "its vertices are not finite";
  if (!item.place.rotation.allFinite() || !item.place.translation.allFinite()) return "its place is not finite";
  return {};
}

}  // namespace crumple::io
