#include <algorithm>
#include <cstring>

#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

// Of the spacing: corners nearer to a plane count as on it. Finer cuts would only make splinters that nobody sees.
constexpr double kSlack = 0.01;

size_t at(int index) {
  return static_cast<size_t>(index);
}

/// A part of a crack: where a cluster was when it was split.
struct CrackRegion {
  Divider plane;
  Vec3 center = Vec3::Zero();
  double radius = 0;
  std::vector<Divider> ends;  // it had been split there before
};

bool meets(const CrackRegion& region, const Bounds& box, double margin) {
  const Vec3 middle = 0.5 * (box.low + box.high), half = 0.5 * (box.high - box.low);
  const auto height = [&](const Divider& d) { return d.normal.dot(middle) - d.offset; };
  const auto reach = [&](const Divider& d) { return d.normal.cwiseAbs().dot(half); };
  if (std::abs(height(region.plane)) > reach(region.plane)) return false;
  if (((region.center - middle).cwiseAbs() - half).cwiseMax(0.0).norm() > region.radius + margin) return false;
  for (const Divider& end : region.ends) {
    if (height(end) - reach(end) > margin) return false;
  }
  return true;
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

void divide_along(const CrackRegion& region, double spacing, Solid& solid) {
  std::vector<int> stack = {0};
  while (!stack.empty()) {
    const int n = stack.back();
    stack.pop_back();
    if (!meets(region, solid.nodes()[at(n)].box, spacing)) continue;
    const int cell = solid.nodes()[at(n)].cell;
    const bool is_leaf = cell >= 0;
    if (is_leaf && !solid.divide_between_particles(cell, kSlack * spacing)) {
      solid.divide(cell, region.plane, kSlack * spacing);
      continue;
    }
    stack.push_back(solid.nodes()[at(n)].high);
    stack.push_back(solid.nodes()[at(n)].low);
  }
}

/// Gives a particle a cell of its own.
void isolate(int particle, double slack, Solid& solid) {
  while (solid.cell_of(particle) >= 0 && solid.divide_between_particles(solid.cell_of(particle), slack)) {
  }
}

}  // namespace

std::span<const int32_t> clusters_of(const State& state, int particle) {
  return {state.entry_cluster.data() + state.entry_begin[at(particle)], at(state.entry_count[at(particle)])};
}

bool together(const State& state, int a, int b) {
  if (a == b) return true;
  for (const int32_t c : clusters_of(state, a)) {
    for (const int32_t d : clusters_of(state, b)) {
      if (c == d) return true;
    }
  }
  return false;
}

Matter find_matter(const Model& model, const State& state) {
  Matter matter;
  const size_t originals = model.rest.size();
  matter.copies_begin.assign(originals + 1, 0);
  for (size_t i = 0; i < state.original.size(); ++i) matter.copies_begin[at(state.original[i]) + 1] += state.entry_count[i] > 0 ? 1 : 0;
  for (size_t i = 1; i <= originals; ++i) matter.copies_begin[i] += matter.copies_begin[i - 1];
  matter.copies.resize(at(matter.copies_begin[originals]));
  std::vector<int32_t> next(matter.copies_begin.begin(), matter.copies_begin.end() - 1);
  for (size_t i = 0; i < state.original.size(); ++i) {
    if (state.entry_count[i] > 0) matter.copies[at(next[at(state.original[i])]++)] = static_cast<int32_t>(i);
  }

  // By cluster: on which sides of which cracks. The first plane of a crack is that of the side below.
  std::vector<const CutPlane*> first;
  std::vector<std::vector<CrackSide>> sides(at(state.clusters()));
  for (const CutPlane& plane : state.planes) {
    if (plane.crack < 0) continue;
    if (at(plane.crack) >= first.size()) first.resize(at(plane.crack) + 1, nullptr);
    if (!first[at(plane.crack)]) first[at(plane.crack)] = &plane;
    sides[at(plane.cluster)].push_back({plane.crack, plane.normal.dot(first[at(plane.crack)]->normal) > 0 ? -1 : 1});
  }
  matter.home.assign(originals, -1);
  matter.sides_begin.assign(originals + 1, 0);
  for (size_t i = 0; i < originals; ++i) {
    const std::span<const int32_t> copies = matter.copies_of(static_cast<int>(i));
    if (!copies.empty()) {
      matter.home[i] = copies[0];
      const size_t begin = matter.sides.size();
      for (const int32_t c : clusters_of(state, copies[0])) matter.sides.insert(matter.sides.end(), sides[at(c)].begin(), sides[at(c)].end());
      const auto from = matter.sides.begin() + static_cast<std::ptrdiff_t>(begin);
      std::stable_sort(from, matter.sides.end(), [](const CrackSide& a, const CrackSide& b) { return a.crack < b.crack; });
      matter.sides.erase(std::unique(from, matter.sides.end(), [](const CrackSide& a, const CrackSide& b) { return a.crack == b.crack; }),
                         matter.sides.end());
    }
    matter.sides_begin[i + 1] = static_cast<int32_t>(matter.sides.size());
  }
  return matter;
}

std::vector<Divider> crack_planes(const Model& model, const SurfaceModel& surface_model, std::span<const CutPlane> planes) {
  std::vector<Divider> found;
  std::vector<uint8_t> known;
  for (const CutPlane& plane : planes) {
    if (plane.crack < 0) continue;
    if (at(plane.crack) >= found.size()) found.resize(at(plane.crack) + 1), known.resize(at(plane.crack) + 1, 0);
    if (!known[at(plane.crack)]) found[at(plane.crack)] = to_mesh(model, surface_model, plane), known[at(plane.crack)] = 1;
  }
  return found;
}

void grow_cracks(const Model& model, const SurfaceModel& surface_model, const State& state, const Matter& matter, Surface& surface) {
  const double spacing = surface_model.spacing;
  const Transform home = surface_model.place.inverse();
  const size_t known = surface.planes.size();
  std::vector<uint8_t> seen;
  for (size_t p = 0; p < state.planes.size(); ++p) {
    const CutPlane& plane = state.planes[p];
    if (plane.crack < 0) continue;
    if (at(plane.crack) >= seen.size()) seen.resize(at(plane.crack) + 1, 0);
    const bool is_first = !seen[at(plane.crack)];
    seen[at(plane.crack)] = 1;
    if (!is_first || p < known) continue;
    CrackRegion region;
    region.plane = to_mesh(model, surface_model, plane);
    const Vec4f& ball = state.ball[at(plane.cluster)];
    region.center = home * (model.origin + ball.head<3>().cast<double>()), region.radius = ball[3];
    for (const int32_t other : state.cluster_planes[at(plane.cluster)]) {
      if (at(other) < p && state.planes[at(other)].crack >= 0) region.ends.push_back(to_mesh(model, surface_model, state.planes[at(other)]));
    }
    divide_along(region, spacing, surface.solid);
  }
  surface.planes = state.planes;
  // Matter may also part where a cluster's ball ended: there is no plane, only particles that have nothing in common any more.
  for (const auto& [a, b] : surface_model.near) {
    if (matter.home[at(a)] >= 0 && matter.home[at(b)] >= 0 && together(state, matter.home[at(a)], matter.home[at(b)])) continue;
    isolate(a, kSlack * spacing, surface.solid);
    isolate(b, kSlack * spacing, surface.solid);
  }
}

}  // namespace crumple::clusters
