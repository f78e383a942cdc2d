#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

double height(const Divider& plane, const Vec3& point) {
  return plane.normal.dot(point) - plane.offset;
}

/// Position of a box relative to the region of a crack.
enum class Within { Nowhere, Partly, Wholly };

/// Known side of a cell at the end of a crack: -1 within the crack, 1 beyond its end, 0 not known.
int known_side(const std::vector<CrackSide>& sides, const Divider& end, std::span<const Crack> cracks) {
  for (const CrackSide& s : sides) {
    if (s.crack == end.crack) return cracks[at(s.crack)].plane.normal.dot(end.normal) > 0 ? s.side : -s.side;
  }
  return 0;
}

Within find_within(const Crack& crack, std::span<const Crack> cracks, const Solid& solid, const Solid::Node& node, double margin) {
  const Vec3 middle = 0.5 * (node.box.low + node.box.high), half = 0.5 * (node.box.high - node.box.low);
  const auto reach = [&](const Divider& d) { return d.normal.cwiseAbs().dot(half); };
  if (std::abs(height(crack.plane, middle)) > reach(crack.plane)) return Within::Nowhere;
  const Vec3 offset = (crack.center - middle).cwiseAbs();
  if ((offset - half).cwiseMax(0.0).norm() > crack.radius + margin) return Within::Nowhere;
  bool wholly = (offset + half).norm() <= crack.radius;
  for (const Divider& end : crack.ends) {
    const int known = node.cell >= 0 ? known_side(solid.cells()[at(node.cell)].sides, end, cracks) : 0;
    if (known > 0 || (known == 0 && height(end, middle) - reach(end) > margin)) return Within::Nowhere;
    wholly = wholly && (known < 0 || height(end, middle) + reach(end) <= 0);
  }
  return wholly ? Within::Wholly : Within::Partly;
}

Divider to_mesh(const Model& model, const SurfaceModel& surface_model, const CutPlane& plane) {
  const Transform& place = surface_model.place;
  const Vec3 normal = plane.normal.cast<double>();
  const double size = normal.norm();
  Divider out;
  out.normal = place.rotation.transpose() * normal / size;
  out.offset = (plane.offset + normal.dot(model.origin - place.translation)) / size;
  out.crack = plane.crack;
  return out;
}

/// Maximum number of cells for each particle from cuts by planes: a body torn to dust would have hundreds. Beyond, cells are divided between
/// particles, at most one for each. A shattering plate reaches ten.
constexpr size_t kCellsPerParticle = 12;

/// Cuts cells within a crack by its plane; at its end the crack runs between particles. False if some were not cut because they are too many.
bool divide_along(const Crack& crack, std::span<const Crack> cracks, const SurfaceModel& model, Solid& solid) {
  const double spacing = model.spacing;
  const size_t budget = kCellsPerParticle * std::max<size_t>(model.rest.size(), 1);
  bool is_cut = true;
  std::vector<int> stack = {0};
  while (!stack.empty()) {
    const int n = stack.back();
    stack.pop_back();
    const Within within = find_within(crack, cracks, solid, solid.nodes()[at(n)], spacing);
    if (within == Within::Nowhere) continue;
    const int cell = solid.nodes()[at(n)].cell;
    const bool is_full = solid.cells().size() >= budget;
    if (cell >= 0 && ((within == Within::Wholly && !is_full) || !solid.divide_between_particles(cell, kSlack * spacing))) {
      if (is_full) {
        is_cut = false;
        continue;
      }
      if (!is_splinter(solid.cells()[at(cell)], spacing)) solid.divide(cell, crack.plane, kSlack * spacing);
      continue;
    }
    stack.push_back(solid.nodes()[at(n)].high);
    stack.push_back(solid.nodes()[at(n)].low);
  }
  return is_cut;
}

}  // namespace

std::vector<Crack> find_cracks(const Model& model, const SurfaceModel& surface_model, const State& state) {
  const Transform home = surface_model.place.inverse();
  std::vector<Crack> cracks;
  for (size_t p = 0; p < state.planes.size(); ++p) {
    const CutPlane& plane = state.planes[p];
    if (plane.crack < 0) continue;
    if (at(plane.crack) >= cracks.size()) cracks.resize(at(plane.crack) + 1);
    Crack& crack = cracks[at(plane.crack)];
    if (crack.plane.crack >= 0) continue;
    crack.plane = to_mesh(model, surface_model, plane);
    const Vec4f& ball = state.ball[at(plane.cluster)];
    crack.center = home * (model.origin + ball.head<3>().cast<double>()), crack.radius = ball[3];
    for (const int32_t other : state.cluster_planes[at(plane.cluster)]) {
      if (at(other) < p && state.planes[at(other)].crack >= 0) crack.ends.push_back(to_mesh(model, surface_model, state.planes[at(other)]));
    }
  }
  return cracks;
}

void grow_cracks(const SurfaceModel& surface_model, const State& state, std::span<const Crack> cracks, Surface& surface) {
  std::vector<uint8_t> known(cracks.size(), 0);
  for (const CutPlane& plane : surface.planes) {
    if (plane.crack >= 0) known[at(plane.crack)] = 1;
  }
  for (size_t c = 0; c < cracks.size(); ++c) {
    if (known[c] || cracks[c].plane.crack < 0) continue;
    if (!divide_along(cracks[c], cracks, surface_model, surface.solid)) ++surface.coarse_cracks;
  }
  surface.planes = state.planes;
}

}  // namespace crumple::clusters
