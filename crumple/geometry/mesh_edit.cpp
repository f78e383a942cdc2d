#include "crumple/geometry/mesh_edit.h"

#include <algorithm>
#include <cassert>

#include "crumple/core/index.h"

namespace crumple {
namespace {

constexpr float kShortestNormal = 1e-6f;

std::vector<Vec3f> normals_of_faces(const TriMesh& mesh) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : mesh.positions) positions.push_back(p.cast<float>());
  return vertex_normals(positions, mesh.triangles);
}

/// Gives a surface plain values of what another has and it lacks.
void match_attributes(const TriMesh& like, TriMesh& mesh) {
  if (!like.uvs.empty() && mesh.uvs.empty()) mesh.uvs.assign(mesh.positions.size(), Vec2f::Zero());
  if (!like.colors.empty() && mesh.colors.empty()) mesh.colors.assign(mesh.positions.size(), Vec3f::Ones());
  if (!like.normals.empty() && mesh.normals.empty()) mesh.normals = normals_of_faces(mesh);
}

/// Numbers of triangles and what they stand for, of a part and of the whole it is added to.
template <class Names>
struct Numbered {
  const std::vector<uint16_t>& part;
  const std::shared_ptr<const Names>& part_names;
  std::vector<uint16_t>& whole;
  std::shared_ptr<const Names>& whole_names;
};

/// What a part's numbers stand for comes after that of the whole, unless both share it.
template <class Names>
void append_numbers(size_t before, size_t added, Numbered<Names> n) {
  if (before == 0) n.whole_names = n.part_names;
  const bool same = n.part_names == n.whole_names;
  if (same && n.part.empty() && n.whole.empty()) return;
  n.whole.resize(before, 0);
  size_t offset = 0;
  if (!same) {
    Names all = n.whole_names ? *n.whole_names : Names(1);
    offset = all.size();
    const Names more = n.part_names ? *n.part_names : Names(1);
    all.insert(all.end(), more.begin(), more.end());
    n.whole_names = std::make_shared<const Names>(std::move(all));
  }
  for (size_t t = 0; t < added; ++t) n.whole.push_back(static_cast<uint16_t>(offset + (n.part.empty() ? 0 : n.part[t])));
}

/// Rigid parts of both stay parts of their own.
void append_parts(size_t before, const TriMesh& part, TriMesh& whole) {
  if (part.rigid.empty() && whole.rigid.empty()) return;
  whole.rigid.resize(before, 0);
  const uint16_t offset = whole.rigid.empty() ? uint16_t{0} : *std::ranges::max_element(whole.rigid);
  for (size_t t = 0; t < part.triangles.size(); ++t) {
    const uint16_t number = part.rigid.empty() ? uint16_t{0} : part.rigid[t];
    whole.rigid.push_back(static_cast<uint16_t>(number == 0 ? 0 : std::min(number + offset, 65535)));
  }
}

}  // namespace

void drop_unfit_attributes(TriMesh& mesh) {
  each_attribute(mesh, [&](auto& values) {
    if (values.size() != mesh.positions.size()) values.clear();
  });
  const auto is_direction = [](const Vec3f& n) { return n.allFinite() && n.norm() > kShortestNormal; };
  if (!std::ranges::all_of(mesh.normals, is_direction)) mesh.normals.clear();
  for (Vec3f& normal : mesh.normals) normal.normalize();
  each_triangle_value(mesh, [&](auto& values) {
    if (values.size() != mesh.triangles.size()) values.clear();
  });
}

void copy_names(const TriMesh& from, TriMesh& to) {
  to.materials = from.materials;
  to.groups = from.groups;
}

void add_triangle(const Triangle& corners, const TriMesh& from, int triangle, TriMesh& to) {
  to.triangles.push_back(corners);
  each_triangle_value(from, to, [&](const auto& values, auto& added) { added.push_back(values[at(triangle)]); });
}

void keep_vertices(std::span<const int> kept, TriMesh& mesh) {
  std::vector<int> number(mesh.positions.size(), -1);
  for (size_t k = 0; k < kept.size(); ++k) number[at(kept[k])] = static_cast<int>(k);
  const auto keep = [&](auto& values) {
    for (size_t k = 0; k < kept.size(); ++k) values[k] = values[at(kept[k])];
    values.resize(kept.size());
  };
  each_attribute(mesh, keep);
  keep(mesh.positions);
  for (Triangle& triangle : mesh.triangles) {
    for (int& v : triangle) v = number[at(v)];
  }
}

void add_vertex(const TriMesh& from, int vertex, TriMesh& to) {
  to.positions.push_back(from.positions[at(vertex)]);
  each_attribute(from, to, [&](const auto& values, auto& added) { added.push_back(values[at(vertex)]); });
}

void add_vertex_between(int a, int b, float share, TriMesh& mesh) {
  mesh.positions.push_back((1 - double{share}) * mesh.positions[at(a)] + double{share} * mesh.positions[at(b)]);
  each_attribute(mesh, [&](auto& values) { values.push_back((values[at(a)] + share * (values[at(b)] - values[at(a)])).eval()); });
  if (!mesh.normals.empty() && mesh.normals.back().norm() > kShortestNormal) mesh.normals.back().normalize();
}

void append_mesh(TriMesh part, TriMesh& whole) {
  match_attributes(part, whole);
  match_attributes(whole, part);
  const auto add = [](const auto& values, auto& all) { all.insert(all.end(), values.begin(), values.end()); };
  const auto first = static_cast<int>(whole.positions.size());
  const size_t triangles = whole.triangles.size();
  add(part.positions, whole.positions);
  each_attribute(part, whole, add);
  for (const auto& [a, b, c] : part.triangles) whole.triangles.push_back({first + a, first + b, first + c});
  append_parts(triangles, part, whole);
  append_numbers<Materials>(triangles, part.triangles.size(), {part.material, part.materials, whole.material, whole.materials});
  append_numbers<std::vector<std::string>>(triangles, part.triangles.size(), {part.group, part.groups, whole.group, whole.groups});
}

TriMesh part_of(const TriMesh& mesh, std::span<const int> triangles, std::vector<int>* vertices) {
  std::vector<int> number(mesh.positions.size(), -1);
  for (const int t : triangles) {
    for (const int v : mesh.triangles[at(t)]) number[at(v)] = 0;
  }
  TriMesh part;
  copy_names(mesh, part);
  for (size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(part.positions.size());
    add_vertex(mesh, static_cast<int>(v), part);
    if (vertices) vertices->push_back(static_cast<int>(v));
  }
  for (const int t : triangles) {
    const auto& [a, b, c] = mesh.triangles[at(t)];
    add_triangle({number[at(a)], number[at(b)], number[at(c)]}, mesh, t, part);
  }
  return part;
}

std::optional<SurfaceMaterial> take_plain_material(TriMesh& mesh) {
  if (!mesh.materials || mesh.materials->size() != 1 || !is_plain(mesh.materials->front())) return std::nullopt;
  SurfaceMaterial material = mesh.materials->front();
  mesh.materials = nullptr;
  mesh.material.clear();
  return material;
}

void face_normals_outward(TriMesh& mesh) {
  if (mesh.normals.size() != mesh.positions.size()) return;
  const std::vector<Vec3f> faces = normals_of_faces(mesh);
  for (size_t v = 0; v < faces.size(); ++v) {
    if (mesh.normals[v].dot(faces[v]) < 0) mesh.normals[v] = -mesh.normals[v];
  }
}

}  // namespace crumple
