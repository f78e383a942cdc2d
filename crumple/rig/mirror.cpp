#include "crumple/rig/mirror.h"

#include <array>

#include "crumple/core/index.h"
#include "crumple/geometry/bvh.h"

namespace crumple {
namespace {

constexpr double kMirrored = 0.95;  // share of the area that must have an image: a car may have one exhaust pipe
constexpr size_t kSampled = 1000;   // triangles

/// Share of the area of which corners and middles of triangles have an image on the surface.
double mirrored_share(const TriMesh& surface, const TriangleTree& tree, const MirrorPlane& plane, double reach) {
  const size_t step = 1 + surface.triangles.size() / kSampled;
  double mirrored = 0, all = 0;
  for (size_t t = 0; t < surface.triangles.size(); t += step) {
    const auto& [a, b, c] = surface.triangles[t];
    const Vec3 &p = surface.positions[at(a)], &q = surface.positions[at(b)], &r = surface.positions[at(c)];
    const double area = (q - p).cross(r - p).norm();
    for (const Vec3& sample : {p, q, r, Vec3((p + q + r) / 3)}) {
      all += area;
      if (tree.closest(plane.image(sample), reach).triangle >= 0) mirrored += area;
    }
  }
  return all > 0 ? mirrored / all : 0;
}

}  // namespace

std::optional<MirrorPlane> mirror_plane(const TriMesh& surface, double tolerance) {
  const Bounds bounds = bounds_of(surface.positions);
  if (bounds.empty() || surface.triangles.empty()) return std::nullopt;
  const Vec3 size = bounds.high - bounds.low, middle = 0.5 * (bounds.low + bounds.high);
  const TriangleTree tree(surface.positions, surface.triangles);
  for (const int axis : size.z() < size.x() ? std::array{2, 0} : std::array{0, 2}) {
    const MirrorPlane plane{axis, middle[axis]};
    if (mirrored_share(surface, tree, plane, tolerance * bounds.diagonal()) >= kMirrored) return plane;
  }
  return std::nullopt;
}

}  // namespace crumple
