#include "crumple/rigid/mesh_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh_topology.h"

namespace crumple::rigid {
namespace {

constexpr double kOnSide = 1e-6;  // barycentric coordinates below are zero

int corner_opposite(const Triangle& triangle, const EdgeUse& use) {
  for (int k = 0; k < 3; ++k) {
    if (triangle[at(k)] != use.low && triangle[at(k)] != use.high) return k;
  }
  return 0;  // has no area
}

}  // namespace

MeshField::MeshField(const TriMesh& mesh)
    : tree_(mesh.positions, mesh.triangles), winding_(mesh.positions, mesh.triangles), bounds_(bounds_of(mesh.positions)) {
  const std::vector<int> same = first_in_place(mesh.positions, 1e-9 * bounds_.diagonal(), std::vector<bool>(mesh.positions.size(), false));
  corners_.assign(mesh.positions.size(), Vec3::Zero());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 pa = mesh.positions[at(a)], pb = mesh.positions[at(b)], pc = mesh.positions[at(c)], area = (pb - pa).cross(pc - pa);
    faces_.push_back(area.norm() > 0 ? Vec3(area.normalized()) : Vec3::Zero());
    triangles_.push_back({same[at(a)], same[at(b)], same[at(c)]});
    corners_[at(same[at(a)])] += angle_at(pa, pb, pc) * faces_.back();
    corners_[at(same[at(b)])] += angle_at(pb, pc, pa) * faces_.back();
    corners_[at(same[at(c)])] += angle_at(pc, pa, pb) * faces_.back();
  }
  sides_.assign(3 * faces_.size(), Vec3::Zero());
  closed_ = true;
  for_each_edge(sorted_edge_uses(mesh.triangles, same), [&](const EdgeUse* uses, size_t count) {
    closed_ = closed_ && count == 2 && uses[0].forward != uses[1].forward;
    if (count == 1) corners_[at(uses->low)] = corners_[at(uses->high)] = Vec3::Zero();  // past the rim of a sheet there is no behind
    if (count == 1) return;
    Vec3 sum = Vec3::Zero();
    for (size_t k = 0; k < count; ++k) sum += faces_[at(uses[k].face)];
    for (size_t k = 0; k < count; ++k) sides_[3 * at(uses[k].face) + at(corner_opposite(triangles_[at(uses[k].face)], uses[k]))] = sum;
  });
}

/// Points are in front of a surface if they are on the side of this at their nearest point, be it in a face, on a side or at a corner.
/// [Baerentzen and Aanaes 2005]
Vec3 MeshField::outward(const TriangleTree::Hit& hit) const {
  int on = 0, corner = 0, off = 0;
  for (int k = 0; k < 3; ++k) {
    if (hit.barycentric[k] > kOnSide)
      ++on, corner = k;
    else
      off = k;
  }
  if (on == 1) return corners_[at(triangles_[at(hit.triangle)][at(corner)])];
  if (on == 2) return sides_[3 * at(hit.triangle) + at(off)];
  return faces_[at(hit.triangle)];
}

double MeshField::distance(const Vec3& point, double within, Vec3& normal) const {
  const TriangleTree::Hit hit = tree_.closest(point, within);
  normal = Vec3::UnitY();
  if (hit.triangle < 0) return std::numeric_limits<double>::infinity();
  const Vec3 out = outward(hit), way = point - hit.point;
  const bool inside = closed_ ? winding_.inside(point) : way.dot(out) < 0;
  if (hit.distance > 1e-9 * bounds_.diagonal())
    normal = (inside ? -way : way) / hit.distance;
  else
    normal = out.norm() > 0 ? Vec3(out.normalized()) : faces_[at(hit.triangle)];
  return inside ? -hit.distance : hit.distance;
}

}  // namespace crumple::rigid
