#include "crumple/rig/surface_detail.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rig/pose.h"

namespace crumple {
namespace {

constexpr double kChords = 6;         // from one handle to the next
constexpr double kFewestCells = 14;   // along the longest side, where nothing is thin
constexpr double kHexagonal = 0.866;  // area of a point over the square of its distance to the next, in the densest arrangement

double spacing_of(std::span<const Handle> handles) {
  double sum = 0;
  for (const Handle& handle : handles) {
    double nearest = 1e300;
    for (const Handle& other : handles) {
      if (&other != &handle) nearest = std::min(nearest, (other.position - handle.position).norm());
    }
    sum += nearest;
  }
  return handles.size() < 2 ? 0 : sum / static_cast<double>(handles.size());
}

double area_of(const TriMesh& mesh, const Triangle& t) {
  return 0.5 * (mesh.positions[at(t[1])] - mesh.positions[at(t[0])]).cross(mesh.positions[at(t[2])] - mesh.positions[at(t[0])]).norm();
}

double longest_edge(const TriMesh& mesh, const Triangle& t) {
  double longest = 0;
  for (size_t i = 0; i < 3; ++i) longest = std::max(longest, (mesh.positions[at(t[i])] - mesh.positions[at(t[(i + 1) % 3])]).norm());
  return longest;
}

Vec3 carried(const Embedding& embedding, size_t point, const TetMesh& tets, const std::vector<Vec3>& positions) {
  Vec3 sum = Vec3::Zero();
  for (size_t i = 0; i < 4; ++i) sum += double{embedding.weights[point][i]} * positions[at(tets.tets[at(embedding.tet[point])][i])];
  return sum;
}

}  // namespace

double edge_to_follow(std::span<const Handle> handles, double cell) {
  return std::max(cell, spacing_of(handles) / kChords);
}

double edge_to_follow(const TriMesh& surface, int handles) {
  Bounds bounds;
  double area = 0;
  for (const Vec3& p : surface.positions) {
    if (p.allFinite()) bounds.add(p);
  }
  if (bounds.empty() || handles < 1) return 0;
  for (const Triangle& t : surface.triangles) {
    if (const double own = area_of(surface, t); std::isfinite(own)) area += own;
  }
  const Vec3 size = bounds.high - bounds.low;
  const double box = 2 * (size.x() * size.y() + size.y() * size.z() + size.z() * size.x());  // less than what is folded or hidden inside
  return std::max(size.maxCoeff() / kFewestCells, std::sqrt(std::min(area, box) / (kHexagonal * handles)) / kChords);
}

double share_with_longer_edges(const TriMesh& surface, double length) {
  double coarse = 0, all = 0;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    if (t < surface.rigid.size() && surface.rigid[t] > 0) continue;
    const double area = area_of(surface, surface.triangles[t]);
    if (!std::isfinite(area)) continue;
    all += area;
    if (longest_edge(surface, surface.triangles[t]) > length) coarse += area;
  }
  return all > 0 ? coarse / all : 0;
}

Stray stray_of_edges(const Asset& asset, const std::vector<HandleTransform>& pose) {
  const TriMesh& surface = asset.surface;
  std::set<std::pair<int, int>> edges;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    if (t < surface.rigid.size() && surface.rigid[t] > 0) continue;
    const Triangle& corners = surface.triangles[t];
    for (size_t i = 0; i < 3; ++i) edges.insert(std::minmax(corners[i], corners[(i + 1) % 3]));
  }
  std::vector<Vec3> points = surface.positions;
  for (const auto& [a, b] : edges) points.push_back(0.5 * (surface.positions[at(a)] + surface.positions[at(b)]));
  const Embedding embedding = embed(asset.tets, points);
  const std::vector<Vec3> positions = posed_positions(asset, pose);
  Stray stray;
  size_t middle = surface.positions.size();
  for (const auto& [a, b] : edges) {
    const Vec3 chord = 0.5 * (carried(embedding, at(a), asset.tets, positions) + carried(embedding, at(b), asset.tets, positions));
    const double off = (carried(embedding, middle, asset.tets, positions) - chord).norm();
    if (off > stray.farthest) stray = {off, points[middle]};
    ++middle;
  }
  return stray;
}

}  // namespace crumple
