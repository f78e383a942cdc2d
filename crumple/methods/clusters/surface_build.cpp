#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/methods/clusters/surface.h"
#include "crumple/methods/clusters/surface_parts.h"

namespace crumple::clusters {
namespace {

Result<void> check_mesh(const TriMesh& mesh) {
  if (mesh.triangles.empty()) return input_error("a surface of clusters needs a mesh with triangles");
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    if (!mesh.positions[v].allFinite()) return input_error(fmt::format("vertex {} of the surface is not a number; repair the mesh", v));
  }
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const int v : mesh.triangles[t]) {
      if (v < 0 || at(v) >= mesh.positions.size()) return input_error(fmt::format("triangle {} of the surface has no vertex {}", t, v));
    }
  }
  return {};
}

/// Only a closed mesh can be torn.
Result<void> check_closed(const TriMesh& mesh, const std::vector<int>& same) {
  Result<void> result;
  size_t open = 0;
  for_each_edge(sorted_edge_uses(mesh.triangles, same), [&](const EdgeUse* uses, size_t count) {
    int net = 0;
    for (size_t k = 0; k < count; ++k) net += uses[k].low == uses[k].high ? 0 : uses[k].forward ? 1 : -1;
    if (net == 0 || open++ > 0) return;
    const Vec3 where = 0.5 * (mesh.positions[at(uses->low)] + mesh.positions[at(uses->high)]);
    result = input_error(
        fmt::format("the surface is open at ({:.4g}, {:.4g}, {:.4g}): what tears needs an inside; close its holes, or let the doctor repair it",
                    where.x(), where.y(), where.z()));
  });
  if (!result) return result;
  double volume = 0;
  const Vec3 from = mesh.positions[at(mesh.triangles[0][0])];
  for (const Triangle& t : mesh.triangles) {
    volume += (mesh.positions[at(t[0])] - from).dot((mesh.positions[at(t[1])] - from).cross(mesh.positions[at(t[2])] - from));
  }
  if (!(volume > 0)) return input_error("the surface faces inward or encloses nothing; turn its triangles around");
  return {};
}

/// Clusters of each original, from those of the model.
void find_clusters(const Model& model, SurfaceModel& out) {
  out.clusters_begin.assign(model.rest.size() + 1, 0);
  for (const int32_t i : model.particle) ++out.clusters_begin[at(i) + 1];
  for (size_t i = 1; i < out.clusters_begin.size(); ++i) out.clusters_begin[i] += out.clusters_begin[i - 1];
  out.clusters.resize(model.particle.size());
  std::vector<int32_t> next(out.clusters_begin.begin(), out.clusters_begin.end() - 1);
  for (size_t c = 0; c + 1 < model.begin.size(); ++c) {
    for (int32_t s = model.begin[c]; s < model.begin[c + 1]; ++s) out.clusters[at(next[at(model.particle[at(s)])]++)] = static_cast<int32_t>(c);
  }
}

void find_near(SurfaceModel& out) {
  std::vector<NearestPoints::Found> found;
  for (size_t i = 0; i < out.rest.size(); ++i) {
    out.nearest.find(
        out.rest[i], kCarriers, 1e300, [&](int32_t j) { return j != static_cast<int32_t>(i); }, found);
    for (const NearestPoints::Found& f : found) {
      const int32_t a = std::min(f.point, static_cast<int32_t>(i)), b = std::max(f.point, static_cast<int32_t>(i));
      if (began_together(out, a, b)) out.near.push_back({a, b});
    }
  }
  std::sort(out.near.begin(), out.near.end());
  out.near.erase(std::unique(out.near.begin(), out.near.end()), out.near.end());
  out.neighbors_begin.assign(out.rest.size() + 1, 0);
  for (const auto& pair : out.near) {
    for (const int32_t i : pair) ++out.neighbors_begin[at(i) + 1];
  }
  for (size_t i = 1; i < out.neighbors_begin.size(); ++i) out.neighbors_begin[i] += out.neighbors_begin[i - 1];
  out.neighbors.resize(2 * out.near.size());
  std::vector<int32_t> next(out.neighbors_begin.begin(), out.neighbors_begin.end() - 1);
  for (const auto& [a, b] : out.near) out.neighbors[at(next[at(a)]++)] = b, out.neighbors[at(next[at(b)]++)] = a;
}

}  // namespace

bool began_together(const SurfaceModel& model, int a, int b) {
  const auto begin = [&](int i) { return model.clusters.begin() + model.clusters_begin[at(i)]; };
  const auto end = [&](int i) { return model.clusters.begin() + model.clusters_begin[at(i) + 1]; };
  auto i = begin(a), j = begin(b);
  while (i != end(a) && j != end(b)) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

Carriers find_carriers(const SurfaceModel& model, const Vec3& place, std::vector<NearestPoints::Found>& scratch) {
  model.nearest.find(
      place, kCarriers + 1, 1e300, [](int32_t) { return true; }, scratch);
  // Weights fall to zero at the distance of the next particle, so they are continuous.
  const double reach = (scratch.size() > kCarriers ? 1.0 : 4.0) * scratch.back().squared + 1e-6 * model.spacing * model.spacing;
  Carriers carriers;
  double sum = 0;
  std::array<double, kCarriers> weights = {};
  const size_t count = std::min<size_t>(scratch.size(), kCarriers);
  for (size_t k = 0; k < count; ++k) {
    const double left = std::max(0.0, 1 - scratch[k].squared / reach);
    sum += weights[k] = left * left + 1e-12;
  }
  for (size_t k = 0; k < count; ++k) carriers.particle[k] = scratch[k].point, carriers.weight[k] = static_cast<float>(weights[k] / sum);
  return carriers;
}

Result<SurfaceModel> build_surface(const Model& model, std::shared_ptr<const TriMesh> mesh, const Transform& place) {
  if (!mesh) return input_error("a surface of clusters needs a mesh");
  if (const Result<void> good = check_mesh(*mesh); !good) return good.error();
  SurfaceModel out;
  const Bounds box = bounds_of(mesh->positions);
  out.same = first_in_place(mesh->positions, 1e-9 * box.diagonal(), std::vector<bool>(mesh->positions.size(), false));
  if (const Result<void> closed = check_closed(*mesh, out.same); !closed) return closed.error();
  out.mesh = std::move(mesh), out.place = place, out.center = 0.5 * (box.low + box.high), out.spacing = model.spacing;
  const Transform home = place.inverse();
  for (const Vec4f& r : model.rest) out.rest.push_back(home * (model.origin + r.head<3>().cast<double>()));
  out.nearest = NearestPoints(out.rest);
  if (!(out.spacing > 0)) out.spacing = 1e-2 * box.diagonal();
  find_clusters(model, out);
  find_near(out);
  out.whole = std::make_shared<Solid>(*out.mesh, out.same, out.rest);
  for (const Solid::Mark& mark : out.whole->marks()) out.point_of.push_back(mark.place);
  const std::vector<Vec3>& places = out.whole->places();
  out.points.resize(places.size()), out.carriers.resize(places.size());
  parallel_for(places.size(), 512, [&](size_t begin, size_t end) {
    std::vector<NearestPoints::Found> scratch;
    for (size_t p = begin; p < end; ++p) {
      out.points[p] = (places[p] - out.center).cast<float>();
      out.carriers[p] = find_carriers(out, places[p], scratch);
    }
  });
  return out;
}

Surface start_surface(const SurfaceModel& model) {
  Surface surface;
  surface.skin = model.mesh, surface.inner = std::make_shared<TriMesh>();
  surface.skin_point = model.point_of;
  surface.rest = model.points, surface.carriers = model.carriers;
  for (const Carriers& c : model.carriers) surface.owner.push_back(c.particle[0]);
  return surface;
}

}  // namespace crumple::clusters
