#include "crumple/geometry/mesh.h"

#include <cmath>
#include <numbers>

namespace crumple {
namespace {

constexpr double kPi = std::numbers::pi;

/// A surface of revolution about y from a profile of (radius, height, normal radius, normal height), sharing no vertices
/// between segments whose normals differ, so that creases stay sharp.
struct ProfilePoint {
  double radius, height;
};

void revolve_strip(TriMesh& mesh, const std::vector<ProfilePoint>& profile, int sectors) {
  const int base = static_cast<int>(mesh.positions.size());
  const int columns = sectors + 1;
  for (const ProfilePoint& point : profile) {
    for (int s = 0; s < columns; ++s) {
      const double angle = 2 * kPi * (s % sectors) / sectors;
      mesh.positions.emplace_back(point.radius * std::cos(angle), point.height, point.radius * std::sin(angle));
    }
  }
  auto index = [&](size_t row, int s) { return base + static_cast<int>(row) * columns + s; };
  for (size_t row = 0; row + 1 < profile.size(); ++row) {
    for (int s = 0; s < sectors; ++s) {
      if (profile[row].radius > 0) mesh.triangles.push_back({index(row, s), index(row + 1, s), index(row, s + 1)});
      if (profile[row + 1].radius > 0) mesh.triangles.push_back({index(row + 1, s), index(row + 1, s + 1), index(row, s + 1)});
    }
  }
}

}  // namespace

std::vector<Vec3f> vertex_normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) {
  std::vector<Vec3f> normals(positions.size(), Vec3f::Zero());
  for (const auto& [a, b, c] : triangles) {
    const Vec3f normal = (positions[b] - positions[a]).cross(positions[c] - positions[a]);
    normals[a] += normal, normals[b] += normal, normals[c] += normal;
  }
  for (Vec3f& normal : normals) {
    const float length = normal.norm();
    normal = length > 1e-30f ? Vec3f(normal / length) : Vec3f::UnitY();
  }
  return normals;
}

bool is_convex(const TriMesh& mesh, double slack) {
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 normal = (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]);
    const double length = normal.norm();
    if (length < 1e-15) continue;
    for (const Vec3& point : mesh.positions) {
      if ((point - mesh.positions[a]).dot(normal) > slack * length) return false;
    }
  }
  return !mesh.triangles.empty();
}

Bounds bounds_of(const std::vector<Vec3>& points) {
  Bounds bounds;
  for (const Vec3& point : points) bounds.add(point);
  return bounds;
}

TriMesh make_box(const Vec3& size) {
  TriMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const int base = static_cast<int>(mesh.positions.size());
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const auto& [cu, cv] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        Vec3 corner;
        corner[axis] = side, corner[u] = cu, corner[v] = cv;
        mesh.positions.push_back(0.5 * size.cwiseProduct(corner));
      }
      if (side > 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{base, base + 1, base + 2}, {base, base + 2, base + 3}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{base, base + 2, base + 1}, {base, base + 3, base + 2}});
      }
    }
  }
  return mesh;
}

TriMesh make_sphere(double radius) {
  return make_capsule(radius, 2 * radius);
}

TriMesh make_cylinder(double radius, double height) {
  TriMesh mesh;
  const double half = 0.5 * height;
  revolve_strip(mesh, {{0, -half}, {radius, -half}}, 48);
  revolve_strip(mesh, {{radius, -half}, {radius, half}}, 48);
  revolve_strip(mesh, {{radius, half}, {0, half}}, 48);
  return mesh;
}

TriMesh make_capsule(double radius, double height) {
  TriMesh mesh;
  const double straight = std::max(0.0, 0.5 * height - radius);
  constexpr int kRows = 12;
  std::vector<ProfilePoint> profile;
  for (int side = 0; side < 2; ++side) {
    for (int row = 0; row <= kRows; ++row) {
      if (side == 1 && row == 0 && straight == 0) continue;
      const double angle = 0.5 * kPi * (side == 0 ? row - kRows : row) / kRows;
      const bool pole = (side == 0 && row == 0) || (side == 1 && row == kRows);
      profile.push_back({pole ? 0.0 : radius * std::cos(angle), radius * std::sin(angle) + (side == 0 ? -straight : straight)});
    }
  }
  revolve_strip(mesh, profile, 48);
  return mesh;
}

TriMesh make_plane_patch(const Vec3& normal, double offset, double half_size) {
  const Vec3 n = normal.normalized();
  const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
  TriMesh mesh;
  for (const auto& [cu, cv] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
    mesh.positions.push_back(offset * n + half_size * (cu * u + cv * v));
  }
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

}  // namespace crumple
