#pragma once

#include <algorithm>
#include <cmath>

#include "crumple/geometry/tet_mesh.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// About the origin, so that volumes of open surfaces which close each other add up.
inline double enclosed_volume(const TriMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) volume += mesh.positions[a].dot(mesh.positions[b].cross(mesh.positions[c])) / 6;
  return volume;
}

/// A box of cells, each split into six tetrahedra around its diagonal; conforming and positive.
inline TetMesh lattice_box(const Vec3& size, int cells, std::array<int, 3> counts = {0, 0, 0}) {
  for (int& count : counts) count = count > 0 ? count : cells;
  TetMesh mesh;
  const auto index = [&](int x, int y, int z) { return (z * (counts[1] + 1) + y) * (counts[0] + 1) + x; };
  for (int z = 0; z <= counts[2]; ++z) {
    for (int y = 0; y <= counts[1]; ++y) {
      for (int x = 0; x <= counts[0]; ++x) {
        mesh.positions.emplace_back(size.x() * (static_cast<double>(x) / counts[0] - 0.5), size.y() * (static_cast<double>(y) / counts[1] - 0.5),
                                    size.z() * (static_cast<double>(z) / counts[2] - 0.5));
      }
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) {
        for (const auto& order : kOrders) {
          int at[3] = {x, y, z};
          Tetrahedron tet{};
          tet[0] = index(at[0], at[1], at[2]);
          for (int k = 0; k < 3; ++k) {
            ++at[order[k]];
            tet[static_cast<size_t>(k) + 1] = index(at[0], at[1], at[2]);
          }
          if (tet_volume(mesh.positions, tet) < 0) std::swap(tet[2], tet[3]);
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  return mesh;
}

/// A bar along x with two handles at its ends; weights change linearly. Examples: rest, squeezed (ends pushed together), and
/// bent (both ends turned by 40 degrees about z, one of them stored with the opposite sign).
inline Asset bar_asset(int cells = 4) {
  Asset asset;
  asset.name = "bar";
  asset.tets = lattice_box({2, 0.5, 0.5}, cells, {4 * cells, cells, cells});
  asset.handles = {{"left", {-1, 0, 0}}, {"right", {1, 0, 0}}};
  for (const Vec3& p : asset.tets.positions) {
    const float right = static_cast<float>(std::clamp(0.5 * (p.x() + 1), 0.0, 1.0));
    asset.weights.insert(asset.weights.end(), {1 - right, right});
  }
  const auto about = [](const Vec3& pivot, double degrees, const Vec3& move, bool flip) {
    HandleTransform to;
    to.rotation = Quat(Eigen::AngleAxisd(degrees * M_PI / 180, Vec3::UnitZ()));
    to.translation = pivot + move - to.rotation * pivot;
    if (flip) to.rotation.coeffs() *= -1;
    return to;
  };
  asset.examples = {{"rest", {HandleTransform{}, HandleTransform{}}},
                    {"squeezed", {about({-1, 0, 0}, 0, {0.4, 0, 0}, false), about({1, 0, 0}, 0, {-0.4, 0, 0}, false)}},
                    {"bent", {about({-1, 0, 0}, 40, {0.1, -0.3, 0}, false), about({1, 0, 0}, -40, {-0.1, -0.3, 0}, true)}}};
  const std::vector<Triangle> faces = boundary_faces(asset.tets);
  asset.surface.positions = asset.tets.positions;
  asset.surface.triangles = faces;
  return asset;
}

}  // namespace crumple
