#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "crumple/geometry/mesh.h"
#include "crumple/geometry/tet_quality.h"
#include "crumple/rig/handles.h"

namespace crumple {
namespace {

constexpr double kReach = 0.5;   // cells
constexpr double kDrawn = 0.8;   // cells: from farther no vertex is drawn
constexpr double kSmallest = 8;  // degrees: angles that drawing must keep
constexpr double kLargest = 165;

std::string title(const Handle& handle) {
  return fmt::format("handle {}at {:.4g} {:.4g} {:.4g}", handle.name.empty() ? "" : "\"" + handle.name + "\" ", handle.position.x(),
                     handle.position.y(), handle.position.z());
}

}  // namespace

HandleBinding::HandleBinding(TetMesh& mesh, double cell) : mesh_(mesh), cell_(cell), outer_(mesh.positions.size(), 0) {
  for (const Triangle& face : boundary_faces(mesh)) {
    for (const int v : face) outer_[v] = 1;
  }
}

Result<int> HandleBinding::bind(const Handle& handle) {
  int nearest = -1, inner = -1;
  const auto distance = [&](int v) { return v < 0 ? 1e300 : (mesh_.positions[v] - handle.position).norm(); };
  for (int v = 0; v < static_cast<int>(mesh_.positions.size()); ++v) {
    if (distance(v) < distance(nearest)) nearest = v;
    if (!outer_[v] && distance(v) < distance(inner) && held_.find(v) == held_.end()) inner = v;
  }
  if (distance(nearest) > kReach * cell_) {
    if (distance(inner) > kDrawn * cell_ || !draw_nearer(inner, handle.position)) return too_far(handle, nearest);
    nearest = inner;
  }
  const auto [place, fresh] = held_.try_emplace(nearest, title(handle));
  if (fresh) return nearest;
  return input_error(
      fmt::format("{} and {} are nearest to the same vertex: place them at least a cell ({:.3g} m) apart, leave one out, or use more cells",
                  place->second, title(handle), cell_));
}

bool HandleBinding::draw_nearer(int vertex, const Vec3& place) {
  const Vec3 before = mesh_.positions[vertex], way = place - before;
  const double length = way.norm();
  mesh_.positions[vertex] += way * ((length - 0.999 * kReach * cell_) / length);
  for (const Tetrahedron& tet : mesh_.tets) {
    if (std::find(tet.begin(), tet.end(), vertex) == tet.end()) continue;
    const DihedralRange angles = dihedral_range(mesh_.positions, tet);
    if (tet_volume(mesh_.positions, tet) > 0 && angles.smallest >= kSmallest && angles.largest <= kLargest) continue;
    mesh_.positions[vertex] = before;
    return false;
  }
  return true;
}

Error HandleBinding::too_far(const Handle& handle, int nearest) const {
  if (nearest < 0) return input_error(fmt::format("{} has no vertex to hold: there are no tetrahedra", title(handle)));
  const Vec3& at = mesh_.positions[nearest];
  return input_error(
      fmt::format("{} is {:.3g} m from the body, more than half a cell ({:.3g} m): move it to the nearest vertex at {:.4g} {:.4g} {:.4g}",
                  title(handle), (at - handle.position).norm(), kReach * cell_, at.x(), at.y(), at.z()));
}

void order_along(const TetMesh& mesh, std::vector<int>& vertices) {
  const Bounds bounds = bounds_of(mesh.positions);
  int axis = 0;
  (bounds.high - bounds.low).maxCoeff(&axis);
  std::sort(vertices.begin(), vertices.end(), [&](int a, int b) {
    const Vec3 &p = mesh.positions[a], &q = mesh.positions[b];
    return std::make_tuple(p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3], a) < std::make_tuple(q[axis], q[(axis + 1) % 3], q[(axis + 2) % 3], b);
  });
}

void name_handles(std::vector<Handle>& handles) {
  std::set<std::string> taken;
  for (const Handle& handle : handles) taken.insert(handle.name);
  for (size_t h = 0; h < handles.size(); ++h) {
    if (!handles[h].name.empty()) continue;
    std::string name = fmt::format("h{}", h);
    while (!taken.insert(name).second) name += "'";
    handles[h].name = name;
  }
}

}  // namespace crumple
