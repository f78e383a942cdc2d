#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple::rigid::testing {

/// Cells of a lattice that `inside` accepts, five tetrahedra each.
template <class Inside>
TetMesh lattice(int nx, int ny, int nz, double cell, Inside inside) {
  TetMesh mesh;
  std::vector<int> number((nx + 1) * (ny + 1) * (nz + 1), -1);
  const auto vertex = [&](int x, int y, int z) {
    int& index = number[(z * (ny + 1) + y) * (nx + 1) + x];
    if (index < 0) index = static_cast<int>(mesh.positions.size()), mesh.positions.push_back(cell * Vec3(x, y, z));
    return index;
  };
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        if (!inside(x, y, z)) continue;
        const auto v = [&](int i) { return vertex(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1)); };
        const bool odd = (x + y + z) % 2;
        const int kEven[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};
        const int kOdd[5][4] = {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 5, 3, 6}, {0, 3, 5, 6}};
        for (const auto& t : odd ? kOdd : kEven) {
          Tetrahedron tet = {v(t[0]), v(t[1]), v(t[2]), v(t[3])};
          if (tet_volume(mesh.positions, tet) < 0) std::swap(tet[2], tet[3]);
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  return mesh;
}

/// Directions spread evenly over the sphere.
inline std::vector<Vec3> directions() {
  std::vector<Vec3> result;
  for (int i = 0; i < 300; ++i) {
    const double y = 1 - (2 * i + 1) / 300.0, angle = 2.39996322972865332 * i, r = std::sqrt(1 - y * y);
    result.emplace_back(r * std::cos(angle), y, r * std::sin(angle));
  }
  return result;
}

/// How far points reach in each direction.
inline std::vector<double> reach(std::span<const Vec3> points) {
  std::vector<double> result;
  for (const Vec3& direction : directions()) {
    double farthest = -1e300;
    for (const Vec3& point : points) farthest = std::max(farthest, direction.dot(point));
    result.push_back(farthest);
  }
  return result;
}

inline std::vector<Vec3> gather(std::span<const Vec3> shape, std::span<const int> vertices) {
  std::vector<Vec3> points;
  for (const int v : vertices) points.push_back(shape[v]);
  return points;
}

inline TetMesh box_mesh() {
  return lattice(8, 4, 4, 0.1, [](int, int, int) { return true; });
}

inline std::vector<Vec3> bent(const TetMesh& mesh, double amount) {
  std::vector<Vec3> shape = mesh.positions;
  for (Vec3& p : shape) p.y() += amount * p.x() * p.x();
  return shape;
}

}  // namespace crumple::rigid::testing
