#include "crumple/geometry/extrude.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace crumple {

PlanarMesh make_disc(double radius, int rings) {
  PlanarMesh disc;
  disc.points.push_back(Vec3::Zero());
  for (int ring = 1; ring <= rings; ++ring) {
    for (int i = 0; i < 6 * ring; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / (6.0 * ring), r = radius * ring / rings;
      disc.points.push_back(Vec3(r * std::cos(angle), 0, -r * std::sin(angle)));
    }
  }
  const auto index = [](int ring, int i) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + i % (6 * ring); };
  for (int ring = 1; ring <= rings; ++ring) {
    for (int sextant = 0; sextant < 6; ++sextant) {
      const int outer = sextant * ring, inner = sextant * (ring - 1);
      for (int i = 0; i < ring; ++i) {
        disc.triangles.push_back({index(ring - 1, inner + i), index(ring, outer + i), index(ring, outer + i + 1)});
        if (i + 1 < ring) disc.triangles.push_back({index(ring - 1, inner + i), index(ring, outer + i + 1), index(ring - 1, inner + i + 1)});
      }
    }
  }
  return disc;
}

PlanarMesh make_rectangle(double width, double depth, int columns, int rows) {
  PlanarMesh mesh;
  for (int row = 0; row <= rows; ++row)
    for (int column = 0; column <= columns; ++column)
      mesh.points.push_back(Vec3(width * (double(column) / columns - 0.5), 0, depth * (double(row) / rows - 0.5)));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int a = row * (columns + 1) + column, b = a + 1, c = b + columns + 1, d = c - 1;
      // Diagonals that alternate, so that the solid does not give way more easily in one direction.
      if ((row + column) % 2 == 0) {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      } else {
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
      }
    }
  }
  return mesh;
}

namespace {

void add_tet(TetMesh& mesh, Tetrahedron tet) {
  const auto& p = mesh.positions;
  const Vec3 a = p[tet[0]];
  if ((p[tet[1]] - a).cross(p[tet[2]] - a).dot(p[tet[3]] - a) < 0) std::swap(tet[2], tet[3]);
  mesh.tets.push_back(tet);
}

// The diagonal of each side runs from the lower-numbered column's bottom to the higher-numbered column's top: both prisms
// that share a side choose the same one.
void add_prism(TetMesh& mesh, Triangle base, int bottom, int top) {
  std::sort(base.begin(), base.end());
  const auto [i, j, k] = base;
  add_tet(mesh, {bottom + i, bottom + j, bottom + k, top + k});
  add_tet(mesh, {bottom + i, bottom + j, top + j, top + k});
  add_tet(mesh, {bottom + i, top + i, top + j, top + k});
}

}  // namespace

TetMesh extrude(const PlanarMesh& base, std::span<const double> heights) {
  TetMesh mesh;
  const int count = int(base.points.size());
  for (const double height : heights)
    for (const Vec3& point : base.points) mesh.positions.push_back(Vec3(point.x(), height, point.z()));
  for (int level = 0; level + 1 < int(heights.size()); ++level)
    for (const Triangle& triangle : base.triangles) add_prism(mesh, triangle, level * count, (level + 1) * count);
  return mesh;
}

std::vector<double> even_heights(double height, int count) {
  std::vector<double> heights;
  for (int i = 0; i <= count; ++i) heights.push_back(height * (double(i) / count - 0.5));
  return heights;
}

}  // namespace crumple
