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

}  // namespace crumple::rigid
