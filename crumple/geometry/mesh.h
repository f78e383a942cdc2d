#pragma once

#include <cmath>
#include <vector>

#include "crumple/geometry/materials.h"

namespace crumple {

/// A triangle surface. Vertices are doubled along creases (as in glTF), so smooth normals can be made anew from any shape.
struct TriMesh {
  std::vector<Vec3> positions;      // #vertices
  std::vector<Triangle> triangles;  // counter-clockwise from outside
  std::vector<Vec2f> uvs;           // #vertices or empty
  std::vector<Vec3f> colors;        // #vertices or empty, linear RGB
  std::vector<Vec3f> normals;       // #vertices or empty: unit normals of the artist's
  std::shared_ptr<const Materials> materials;  // or none: one look for all
  std::vector<uint16_t> material;   // #triangles: of the materials; empty: the first
  std::shared_ptr<const std::vector<std::string>> groups;  // names of the artist's objects, or none
  std::vector<uint16_t> group;      // #triangles: of the groups; empty: the first
  std::vector<uint16_t> rigid;      // #triangles: part that keeps its shape while the rest deforms, 0: none; empty: none at all

  int material_of(size_t triangle) const { return triangle < material.size() ? material[triangle] : 0; }
  int group_of(size_t triangle) const { return triangle < group.size() ? group[triangle] : 0; }
};

/// Values of vertices that were added to a surface, each halfway between two that are there: 2 numbers of `parents` for each, in order.
template <class Parents, class T>
void add_between(const Parents& parents, std::vector<T>& values) {
  values.reserve(values.size() + parents.size() / 2);
  for (size_t i = 0; i + 1 < parents.size(); i += 2) {
    values.push_back((values[static_cast<size_t>(parents[i])] + values[static_cast<size_t>(parents[i + 1])]) * 0.5f);
  }
}

/// Area-weighted vertex normals of a shape that shares `triangles`.
std::vector<Vec3f> vertex_normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles);

/// True if no vertex lies outside the plane of any face by more than `slack` (metres): the mesh may collide as one hull.
bool is_convex(const TriMesh& mesh, double slack);

/// Angle of a triangle at a corner, radians.
inline double angle_at(const Vec3& corner, const Vec3& a, const Vec3& b) {
  const Vec3 u = a - corner, v = b - corner;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

struct Bounds {
  Vec3 low = Vec3::Constant(1e300);
  Vec3 high = Vec3::Constant(-1e300);
  void add(const Vec3& point) { low = low.cwiseMin(point), high = high.cwiseMax(point); }
  bool empty() const { return low.x() > high.x(); }
  double diagonal() const { return empty() ? 0.0 : (high - low).norm(); }
};

inline bool overlap(const Bounds& a, const Bounds& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

Bounds bounds_of(const std::vector<Vec3>& points);

/// Unit-size primitives for drawing and export, centred on the origin; cylinder and capsule stand along y.
TriMesh make_box(const Vec3& size);
TriMesh make_sphere(double radius);
TriMesh make_cylinder(double radius, double height);
TriMesh make_capsule(double radius, double height);
TriMesh make_plane_patch(const Vec3& normal, double offset, double half_size);

}  // namespace crumple
