#pragma once

#include <cmath>
#include <numbers>

#include "crumple/core/random.h"
#include "crumple/geometry/mesh.h"

namespace crumple {

/// A torus about z without doubled vertices.
inline TriMesh make_torus(double ring_radius, double tube_radius, int around = 48, int across = 24) {
  TriMesh mesh;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double a = 2 * std::numbers::pi * i / around, b = 2 * std::numbers::pi * j / across;
      const double radius = ring_radius + tube_radius * std::cos(b);
      mesh.positions.emplace_back(radius * std::cos(a), radius * std::sin(a), tube_radius * std::sin(b));
    }
  }
  const auto index = [&](int i, int j) { return (i % around) * across + j % across; };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      mesh.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      mesh.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  }
  return mesh;
}

/// A sphere with waves and jitter of its radius, all from the seed.
inline TriMesh make_lump(uint64_t seed) {
  Random random(seed);
  Vec3 waves[4];
  for (Vec3& wave : waves) wave = Vec3(random.range(-4, 4), random.range(-4, 4), random.range(-4, 4));
  TriMesh mesh = make_sphere(1);
  for (Vec3& p : mesh.positions) {
    double radius = 1;
    for (const Vec3& wave : waves) radius += 0.12 * std::sin(wave.dot(p));
    p *= radius;
  }
  return mesh;
}

inline void append(TriMesh& mesh, const TriMesh& other, const Vec3& move) {
  const int base = static_cast<int>(mesh.positions.size());
  for (const Vec3& p : other.positions) mesh.positions.push_back(p + move);
  for (const auto& [a, b, c] : other.triangles) mesh.triangles.push_back({a + base, b + base, c + base});
}

inline void turn(Triangle& triangle) {
  std::swap(triangle[1], triangle[2]);
}

}  // namespace crumple
