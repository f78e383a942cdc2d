#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// Every edge belongs to two triangles, once in each direction, and the triangles around each vertex form one fan. Doubled vertices count as two.
inline bool is_closed_manifold(const TriMesh& mesh) {
  // A half edge of each corner: vertex, the next one around the triangle, the one before.
  std::vector<std::array<int, 3>> corners;
  for (const auto& [a, b, c] : mesh.triangles) {
    if (a == b || b == c || c == a) return false;
    corners.insert(corners.end(), {{a, b, c}, {b, c, a}, {c, a, b}});
  }
  std::sort(corners.begin(), corners.end());
  for (size_t begin = 0; begin < corners.size();) {
    size_t end = begin;
    while (end < corners.size() && corners[end][0] == corners[begin][0]) ++end;
    const auto starts_at = [&](int next) {
      const auto found = std::lower_bound(corners.begin() + static_cast<long>(begin), corners.begin() + static_cast<long>(end), next,
                                          [](const std::array<int, 3>& corner, int value) { return corner[1] < value; });
      return static_cast<size_t>(found - corners.begin());
    };
    size_t at = begin, turns = 0;
    do {
      if (at + 1 < end && corners[at + 1][1] == corners[at][1]) return false;  // an edge runs twice the same way
      const int next = corners[at][2];
      at = starts_at(next), ++turns;
      if (at == end || corners[at][1] != next || turns > end - begin) return false;
    } while (at != begin);
    if (turns != end - begin) return false;
    begin = end;
  }
  return !corners.empty();
}

inline int euler_number(const TriMesh& mesh) {
  return static_cast<int>(mesh.positions.size()) - static_cast<int>(mesh.triangles.size()) / 2;  // V - E + F of a closed mesh: E = 3/2 F
}

inline double area_of(const TriMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return sum;
}

/// Degrees.
inline double smallest_angle(const TriMesh& mesh) {
  double largest_cosine = -1;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 &at = mesh.positions[t[k]], u = mesh.positions[t[(k + 1) % 3]] - at, v = mesh.positions[t[(k + 2) % 3]] - at;
      largest_cosine = std::max(largest_cosine, u.dot(v) / (u.norm() * v.norm()));
    }
  }
  return std::acos(std::min(largest_cosine, 1.0)) * 180 / std::numbers::pi;
}

}  // namespace crumple
