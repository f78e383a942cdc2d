#include "crumple/rigid/convex_hull.h"

#include <algorithm>

#include <LinearMath/btConvexHullComputer.h>

namespace crumple::rigid {
namespace {

/// A face is a planar polygon: a fan around its first corner.
void add_fan(const btConvexHullComputer& computer, int first_edge, std::vector<Triangle>& faces) {
  const auto original = [&](int vertex) { return computer.original_vertex_index[vertex]; };
  const btConvexHullComputer::Edge* const first = &computer.edges[first_edge];
  const int corner = original(first->getSourceVertex());
  for (const auto* edge = first->getNextEdgeOfFace(); edge->getTargetVertex() != first->getSourceVertex(); edge = edge->getNextEdgeOfFace())
    faces.push_back({corner, original(edge->getSourceVertex()), original(edge->getTargetVertex())});
}

void flag_farthest_along_axes(std::span<const Vec3> points, std::span<const int> candidates, std::span<uint8_t> flags) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto before = [&](int a, int b) { return points[a][axis] < points[b][axis]; };
    const auto [low, high] = std::minmax_element(candidates.begin(), candidates.end(), before);
    if (low != candidates.end()) flags[*low] = flags[*high] = 1;
  }
}

/// For every face the point that stands out of it most, if that is by more than the slack.
std::vector<int> farthest_out(std::span<const Vec3> points, std::span<const int> candidates, std::span<const Triangle> faces, double slack) {
  std::vector<int> found;
  for (const auto& [a, b, c] : faces) {
    const Vec3 normal = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
    double most = slack;
    int farthest = -1;
    for (const int v : candidates)
      if (const double above = normal.dot(points[v] - points[a]); above > most) most = above, farthest = v;
    if (farthest >= 0) found.push_back(farthest);
  }
  return found;
}

}  // namespace

double volume(const ConvexHull& hull, std::span<const Vec3> points) {
  double volume = 0;
  for (const Triangle& f : hull.faces) volume += (points[f[0]] - points[0]).dot((points[f[1]] - points[0]).cross(points[f[2]] - points[0]));
  return volume / 6;
}

ConvexHull convex_hull(std::span<const Vec3> points) {
  ConvexHull hull;
  if (points.empty()) return hull;
  btConvexHullComputer computer;
  computer.compute(points[0].data(), sizeof(Vec3), static_cast<int>(points.size()), 0, 0);
  for (int i = 0; i < computer.vertices.size(); ++i) hull.vertices.push_back(computer.original_vertex_index[i]);
  std::sort(hull.vertices.begin(), hull.vertices.end());
  for (int i = 0; i < computer.faces.size(); ++i) add_fan(computer, computer.faces[i], hull.faces);
  if (volume(hull, points) < 0)  // as yet signed
    for (Triangle& face : hull.faces) std::swap(face[1], face[2]);
  return hull;
}

// Measured from the planes of faces: beyond a sharp edge a point may be farther out than that.
void flag_outline(std::span<const Vec3> points, double slack, std::span<uint8_t> flags) {
  const std::vector<int> extremes = convex_hull(points).vertices;
  if (slack > 0) flag_farthest_along_axes(points, extremes, flags);
  while (slack > 0) {
    std::vector<Vec3> kept;
    std::vector<int> index, left;
    for (size_t i = 0; i < points.size(); ++i)
      if (flags[i]) kept.push_back(points[i]), index.push_back(static_cast<int>(i));
    for (const int v : extremes)
      if (!flags[v]) left.push_back(v);
    std::vector<Triangle> faces = convex_hull(kept).faces;
    if (faces.empty()) break;  // flat
    for (Triangle& face : faces) face = {index[face[0]], index[face[1]], index[face[2]]};
    const std::vector<int> added = farthest_out(points, left, faces, slack);
    if (added.empty()) return;
    for (const int v : added) flags[v] = 1;
  }
  for (const int v : extremes) flags[v] = 1;
}

}  // namespace crumple::rigid
