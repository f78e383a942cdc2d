#pragma once

#include <string>

#include "crumple/geometry/mesh.h"
#include "crumple/io/asset_check.h"
#include "crumple/io/gltf.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// The asset as its file describes it.
inline io::GltfDocument document_of(const Asset& asset) {
  return *io::parse_glb(*io::asset_to_glb(asset), "bar.glb");
}

/// A bar of `cells` cubes along x, six tetrahedra each, with a handle at either end; one example lifts and turns the right end.
inline Asset sample_asset(int cells = 4) {
  Asset asset;
  asset.name = "bar";
  auto index = [](int x, int y, int z) { return (x * 2 + y) * 2 + z; };
  for (int x = 0; x <= cells; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int z = 0; z < 2; ++z) asset.tets.positions.emplace_back(0.3 * x, 0.25 * y, 0.25 * z);
    }
  }
  for (int x = 0; x < cells; ++x) {
    for (const auto& [a, b] : {std::pair{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}) {  // around the diagonal from corner 0 to 7
      auto corner = [&](int k) { return index(x + (k >> 2), k >> 1 & 1, k & 1); };
      asset.tets.tets.push_back({corner(0), corner(a), corner(b), corner(7)});
    }
  }
  io::orient_tets(asset.tets);
  asset.handles = {{"left", {0, 0.1, 0.1}}, {"right", {0.3 * cells, 0.1, 0.1}}};
  for (const Vec3& point : asset.tets.positions) {
    const auto right = static_cast<float>(point.x() / (0.3 * cells));
    asset.weights.insert(asset.weights.end(), {1 - right, right});
  }
  HandleTransform lifted;
  lifted.rotation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  lifted.translation = {0.1, 0.4, -0.2};
  asset.examples = {{"rest", {{}, {}}}, {"lifted", {{}, lifted}}, {"shifted", {HandleTransform{Quat::Identity(), {0, -0.1, 0}}, {}}}};
  asset.surface = io::boundary_surface(asset.tets);
  for (const Vec3& point : asset.surface.positions) asset.surface.uvs.emplace_back(static_cast<float>(point.x()), static_cast<float>(point.y()));
  asset.color = {0.8f, 0.1f, 0.05f};
  asset.metal = 0.25, asset.roughness = 0.5;
  return asset;
}

}  // namespace crumple
