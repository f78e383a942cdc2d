#pragma once

#include <optional>
#include <span>

#include "crumple/geometry/mesh.h"

/// Changes of a surface that keep what the artist gave its vertices and triangles: texture coordinates, colours, normals and materials.
namespace crumple {

/// Calls `change` for each list of values per vertex, beside the positions, that both surfaces have.
template <class Change>
void each_attribute(const TriMesh& from, TriMesh& to, const Change& change) {
  if (!from.uvs.empty()) change(from.uvs, to.uvs);
  if (!from.colors.empty()) change(from.colors, to.colors);
  if (!from.normals.empty()) change(from.normals, to.normals);
}
template <class Change>
void each_attribute(TriMesh& mesh, const Change& change) {
  each_attribute(mesh, mesh, [&](const auto&, auto& values) { change(values); });
}

/// The same for values per triangle: numbers of materials and groups. The names that the numbers stand for are not copied.
template <class Change>
void each_triangle_value(const TriMesh& from, TriMesh& to, const Change& change) {
  if (!from.material.empty()) change(from.material, to.material);
  if (!from.group.empty()) change(from.group, to.group);
  if (!from.rigid.empty()) change(from.rigid, to.rigid);
}
template <class Change>
void each_triangle_value(TriMesh& mesh, const Change& change) {
  each_triangle_value(mesh, mesh, [&](const auto&, auto& values) { change(values); });
}
/// Copies what the numbers of triangles stand for.
void copy_names(const TriMesh& from, TriMesh& to);
/// Adds a triangle of `to`'s vertices that is part of a triangle of `from`.
void add_triangle(const Triangle& corners, const TriMesh& from, int triangle, TriMesh& to);

/// Drops lists whose length does not match the number of vertices or triangles, and normals without a direction.
void drop_unfit_attributes(TriMesh& mesh);

/// Keeps only these vertices, ascending; triangles must not use others, and are numbered anew.
void keep_vertices(std::span<const int> kept, TriMesh& mesh);

/// Keeps the triangles for which keep(index) holds, with their materials.
template <class Keep>
void keep_triangles(TriMesh& mesh, const Keep& keep) {
  std::vector<size_t> kept;
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (keep(t)) kept.push_back(t);
  }
  const auto take = [&](auto& values) {
    for (size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];
    values.resize(kept.size());
  };
  each_triangle_value(mesh, take);
  take(mesh.triangles);
}

/// Adds a copy of a vertex of a surface that has the same attributes.
void add_vertex(const TriMesh& from, int vertex, TriMesh& to);
/// Adds a vertex at a share of the way between two.
void add_vertex_between(int a, int b, float share, TriMesh& mesh);

/// Adds all of a surface to another. Attributes and materials that only one of them has become plain ones on the other.
void append_mesh(TriMesh part, TriMesh& whole);

/// The given triangles (ascending) with the vertices they use, in their order. `vertices` gets the numbers these had.
TriMesh part_of(const TriMesh& mesh, std::span<const int> triangles, std::vector<int>* vertices = nullptr);

/// The only material of a surface, if it is plain: the surface loses it, and its owner can look so.
std::optional<SurfaceMaterial> take_plain_material(TriMesh& mesh);

/// Turns normals that point into the surface, away from all faces around them: of faces that were turned.
void face_normals_outward(TriMesh& mesh);

}  // namespace crumple
