#include "crumple/geometry/cut_surface.h"

#include <array>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/surface_caps.h"
#include "crumple/geometry/surface_clip.h"

namespace crumple {
namespace {

void take_skin(const ClippedSurface& clipped, FaceTriangles faces, SurfaceCut& cut) {
  std::vector<int> number(clipped.vertices.size(), -1);
  for (const Triangle& triangle : faces.triangles) {
    for (const int v : triangle) number[static_cast<size_t>(v)] = 0;
  }
  for (size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    const ClippedSurface::Vertex& vertex = clipped.vertices[v];
    number[v] = static_cast<int>(cut.source.size());
    cut.source.push_back(vertex.source);
    add_vertex(clipped.values, static_cast<int>(v), cut.skin);
    cut.skin.positions.back() = clipped.at(vertex.place);
  }
  copy_names(clipped.values, cut.skin);
  for (size_t t = 0; t < faces.triangles.size(); ++t) {
    const auto& [a, b, c] = faces.triangles[t];
    add_triangle({number[static_cast<size_t>(a)], number[static_cast<size_t>(b)], number[static_cast<size_t>(c)]}, clipped.values, faces.sources[t], cut.skin);
  }
  cut.triangle = std::move(faces.sources);
}

/// Sides do not share vertices: each has its own normal and its own texture coordinates.
void take_side(const ClippedSurface& clipped, const std::vector<Triangle>& triangles, const HalfSpace& plane, int side, SurfaceCut& cut) {
  const PlaneFrame frame(plane.normal);
  std::vector<int> number(clipped.places.size(), -1);
  for (const Triangle& triangle : triangles) {
    Triangle own = triangle;
    for (int& corner : own) {
      int& known = number[static_cast<size_t>(corner)];
      if (known < 0) {
        known = static_cast<int>(cut.caps.positions.size());
        cut.caps.positions.push_back(clipped.at(corner));
        cut.caps.uvs.push_back(frame(clipped.at(corner)).cast<float>());
      }
      corner = known;
    }
    cut.caps.triangles.push_back(own);
    cut.cap_side.push_back(side);
  }
}

}  // namespace

SurfaceCut cut_surface(const TriMesh& surface, const ConvexCell& cell, double edge) {
  ClippedSurface clipped = start_clipping(surface);
  const int sides = static_cast<int>(cell.sides.size());
  for (int side = 0; side < sides; ++side) clip(clipped, cell.sides, side);
  const DividedEdges divided = divide_rims(clipped, edge);
  SurfaceCut cut;
  FaceTriangles faces = triangulate_faces(clipped, divided);
  take_skin(clipped, std::move(faces), cut);
  for (int side = 0; side < sides; ++side) {
    const HalfSpace& plane = cell.sides[static_cast<size_t>(side)];
    const std::vector<Triangle> cap = close_side(clipped, plane, side, divided, edge);
    take_side(clipped, cap, plane, side, cut);
  }
  const std::array<const TriMesh*, 2> parts = {&cut.skin, &cut.caps};
  const ClosedReport report = measure_closed(parts);
  cut.volume = report.volume, cut.gap = report.gap, cut.closed = report.closed;
  return cut;
}

}  // namespace crumple
