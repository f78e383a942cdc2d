#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/cells.h"
#include "crumple/geometry/rings.h"

namespace crumple {

/// Convex polygons, by their corners.
struct Faces {
  std::vector<int> corners;      // of all faces, one after the other, counter-clockwise from outside
  std::vector<int> first = {0};  // #faces + 1
  std::vector<int> shells;       // #faces
  std::vector<int> triangles;    // #faces: of the surface

  size_t size() const { return first.size() - 1; }
  std::span<const int> operator[](size_t face) const {
    return std::span(corners).subspan(static_cast<size_t>(first[face]), static_cast<size_t>(first[face + 1] - first[face]));
  }
  void add(std::span<const int> face, int shell, int triangle) {
    corners.insert(corners.end(), face.begin(), face.end());
    first.push_back(static_cast<int>(corners.size()));
    shells.push_back(shell);
    triangles.push_back(triangle);
  }
};

/// A surface on its way through the planes of a cell. What is left of a triangle stays one polygon, and what closes the surface are only the rims of
/// caps: a plane that clips a rim closes it along a line. So nothing is triangulated before all planes are through, there are no points but where
/// edges and planes meet, and neighbours get the same ones whatever the order of their sides.
struct ClippedSurface {
  struct Vertex {
    int place = 0;
    int source = -1;  // vertex of the surface; -1 if made by a cut
  };
  /// The rim of the caps of one shell on one side: directed edges between places, the cap on their left as seen from outside.
  struct Rim {
    int side = 0, shell = 0;
    std::vector<DirectedEdge> edges;
  };

  std::vector<Vec3> places;
  int of_surface = 0;                 // places before this one are of the surface itself
  std::vector<DirectedEdge> edge_of;  // #places: the edge of the surface it was cut from, between places; -1 if none
  std::vector<Vertex> vertices;
  TriMesh values;  // #vertices: what the artist gave them
  Faces faces;  // of vertices; shells are closed one by one (find_shells)
  std::vector<Rim> rims;
  double slack = 0;  // m: places nearer to a plane than this are on it

  int place(int vertex) const { return vertices[static_cast<size_t>(vertex)].place; }
  const Vec3& at(int place) const { return places[static_cast<size_t>(place)]; }
  int add_place(const Vec3& position, const DirectedEdge& edge = {-1, -1}) {
    places.push_back(position), edge_of.push_back(edge);
    return static_cast<int>(places.size()) - 1;
  }
};

/// A number for each triangle of places, equal for those that must be closed together: connected ones, all open shells, and hollows with what is
/// around them.
std::vector<int> find_shells(std::span<const Vec3> places, const std::vector<Triangle>& triangles);

/// Vertices in one place are one to topology. Triangles with missing or wrong corners are left out.
ClippedSurface start_clipping(const TriMesh& surface);

/// Takes away what is outside one of the sides of a cell, the earlier of which are through, and notes the rim of the cap there.
void clip(ClippedSurface& surface, std::span<const HalfSpace> sides, int side);

/// A place at a fraction of the way between two. The same from either end (`fraction` counts from the one that comes first).
Vec3 place_between(const Vec3& a, const Vec3& b, double fraction);
/// Adds a vertex in `place` at a fraction of the way between two of the surface.
void add_vertex_between(int a, int b, double fraction, int place, ClippedSurface& surface);

/// What is left when edges back to back are taken away in pairs; sorted.
std::vector<DirectedEdge> without_pairs(std::vector<DirectedEdge> edges);

}  // namespace crumple
