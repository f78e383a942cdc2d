#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/cells.h"
#include "crumple/geometry/rings.h"

namespace crumple {

/// A surface on its way through the planes of a cell. What is left of the surface are triangles; what closes it are, until all planes are through,
/// only the rims of caps: a plane that clips a rim closes it along a line, so no cap is triangulated twice and no point is left of earlier triangles.
struct ClippedSurface {
  struct Vertex {
    int place = 0;
    int source = -1;  // vertex of the surface; -1 if made by a cut
    Vec2f uv = Vec2f::Zero();
    Vec3f color = Vec3f::Zero();
  };
  /// The rim of the caps of one shell on one side: directed edges between places, the cap on their left as seen from outside.
  struct Rim {
    int side = 0, shell = 0;
    std::vector<DirectedEdge> edges;
  };

  std::vector<Vec3> places;
  std::vector<Vertex> vertices;
  std::vector<Triangle> triangles;  // of vertices
  std::vector<int> shells;          // #triangles: shells are closed one by one (find_shells)
  std::vector<Rim> rims;
  double slack = 0;  // m: places nearer to a plane than this are on it

  int place(int vertex) const { return vertices[static_cast<size_t>(vertex)].place; }
  const Vec3& at(int place) const { return places[static_cast<size_t>(place)]; }
};

/// #triangles: triangles that must be closed together have equal numbers. Those are connected ones, all open shells, and hollows with what is around
/// them.
std::vector<int> find_shells(const ClippedSurface& surface);

/// Vertices in one place are one to topology. Triangles with missing or wrong corners are left out.
ClippedSurface start_clipping(const TriMesh& surface);

/// Takes away what is outside one of the sides of a cell, the earlier of which are through, and notes the rim of the cap there.
void clip(ClippedSurface& surface, std::span<const HalfSpace> sides, int side);

/// A place at a fraction of the way between two. The same from either end (`fraction` counts from the one that comes first).
Vec3 place_between(const Vec3& a, const Vec3& b, double fraction);
/// A vertex in `place` at a fraction of the way between two of the surface.
ClippedSurface::Vertex vertex_between(const ClippedSurface& surface, int a, int b, double fraction, int place);

/// What is left when edges back to back are taken away in pairs; sorted.
std::vector<DirectedEdge> without_pairs(std::vector<DirectedEdge> edges);

}  // namespace crumple
