#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "crumple/geometry/surface_clip.h"

namespace crumple {

/// Two directions in a plane that with its normal make a right-handed frame. The first is the same for both sides of a plane.
struct PlaneFrame {
  Vec3 u, v;
  explicit PlaneFrame(const Vec3& normal);
  Vec2 operator()(const Vec3& place) const { return {u.dot(place), v.dot(place)}; }
};

/// Places that divide edges of rims, from the end that comes first (comes_first) to the other.
using DividedEdges = std::map<std::pair<int, int>, std::vector<int>>;

/// Puts new places on all edges of rims that are longer than `edge`.
DividedEdges divide_rims(ClippedSurface& surface, double edge);

/// Triangles (of vertices) over the faces that are left, and the triangle of the surface that each was part of. The divided rims go through them too.
struct FaceTriangles {
  std::vector<Triangle> triangles;
  std::vector<int> sources;  // #triangles
};
FaceTriangles triangulate_faces(ClippedSurface& surface, const DividedEdges& divided);

/// Triangles of places that close one side of a cell.
std::vector<Triangle> close_side(ClippedSurface& surface, const HalfSpace& plane, int side, const DividedEdges& divided, double edge);

}  // namespace crumple
