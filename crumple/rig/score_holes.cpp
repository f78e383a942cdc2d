#include "crumple/rig/score_holes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/places.h"
#include "crumple/geometry/surface_caps.h"
#include "crumple/geometry/triangulate.h"

namespace crumple {
namespace {

/// The edges that closing triangles must use: those that are open, the other way round.
std::vector<DirectedEdge> missing_edges(const TriMesh& surface, const Places& places) {
  std::vector<DirectedEdge> edges;
  for (const Triangle& triangle : surface.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const int from = places.of[static_cast<size_t>(triangle[k])], to = places.of[static_cast<size_t>(triangle[(k + 1) % 3])];
      if (from != to) edges.push_back({to, from});
    }
  }
  return without_pairs(std::move(edges));
}

/// Every place has as many edges in as out, so a walk always comes back; whenever it meets itself a loop is complete.
std::vector<std::vector<int>> simple_loops(const std::vector<DirectedEdge>& edges) {
  std::map<int, std::vector<int>> next;  // of each place, used from the end
  for (const DirectedEdge& edge : edges) next[edge[0]].push_back(edge[1]);
  std::vector<std::vector<int>> loops;
  for (auto& [start, ways] : next) {
    std::vector<int> path = {start};
    std::map<int, size_t> met = {{start, 0}};
    while (true) {
      std::vector<int>& out = next[path.back()];
      if (out.empty()) break;
      const int to = out.back();
      out.pop_back();
      const auto [place, is_new] = met.try_emplace(to, path.size());
      if (is_new) {
        path.push_back(to);
        continue;
      }
      const auto begin = path.begin() + static_cast<ptrdiff_t>(place->second);
      loops.emplace_back(begin, path.end());
      for (auto v = begin + 1; v != path.end(); ++v) met.erase(*v);
      path.erase(begin + 1, path.end());
    }
  }
  return loops;
}

/// Triangles over a loop, seen along its normal.
std::vector<Triangle> fill(const std::vector<Vec3>& positions, const std::vector<int>& loop, const Vec3& normal) {
  const PlaneFrame frame(normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3(Vec3::UnitY()));
  std::vector<Vec2> flat;
  for (const int v : loop) flat.push_back(frame(positions[static_cast<size_t>(v)]));
  Ring ring(loop.size());
  std::iota(ring.begin(), ring.end(), 0);
  std::vector<Triangle> filling = triangulate_polygon(flat, std::span(&ring, 1));
  for (Triangle& triangle : filling) {
    for (int& v : triangle) v = loop[static_cast<size_t>(v)];
  }
  return filling;
}

/// Metres along the two axes that the triangle faces least.
Vec2f flat_place(const Vec3& point, const Vec3& normal) {
  int drop = 0;
  normal.cwiseAbs().maxCoeff(&drop);
  return {static_cast<float>(point[(drop + 1) % 3]), static_cast<float>(point[(drop + 2) % 3])};
}

}  // namespace

ClosedSurface close_holes(const TriMesh& surface) {
  ClosedSurface closed{surface, static_cast<int>(surface.triangles.size()), 0};
  TriMesh& mesh = closed.mesh;
  drop_unfit_attributes(mesh);
  const Places places = find_places(surface.positions);
  if (mesh.uvs.empty()) mesh.uvs.assign(mesh.positions.size(), Vec2f::Zero());
  for (const std::vector<int>& loop : simple_loops(missing_edges(surface, places))) {
    ++closed.holes;
    const auto at = [&](int v) -> const Vec3& { return places.positions[static_cast<size_t>(v)]; };
    Vec3 normal = Vec3::Zero();
    for (size_t i = 0; i < loop.size(); ++i) normal += (at(loop[i]) - at(loop[0])).cross(at(loop[(i + 1) % loop.size()]) - at(loop[0]));
    std::vector<Triangle> filling = fill(places.positions, loop, normal);
    std::map<int, int> copies;
    for (Triangle& triangle : filling) {
      for (int& v : triangle) {
        const auto [copy, is_new] = copies.try_emplace(v, static_cast<int>(mesh.positions.size()));
        if (is_new) {
          mesh.positions.push_back(at(v));
          mesh.uvs.push_back(flat_place(at(v), normal));
          if (!mesh.colors.empty()) mesh.colors.push_back(Vec3f::Ones());
          if (!mesh.normals.empty()) mesh.normals.push_back(normal.stableNormalized().cast<float>());
        }
        v = copy->second;
      }
      mesh.triangles.push_back(triangle);
      each_triangle_value(mesh, [](std::vector<uint16_t>& values) { values.push_back(0); });
    }
  }
  return closed;
}

}  // namespace crumple
