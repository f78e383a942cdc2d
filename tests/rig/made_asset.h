#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "crumple/io/gltf_asset.h"

namespace crumple {

/// An asset that comes with the project.
inline Asset read_made_asset(const std::string& name) {
  auto asset = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / (name + ".glb"));
  EXPECT_TRUE(asset) << (asset ? "" : asset.error().text);
  return asset ? std::move(*asset) : Asset{};
}

/// The file draws what the generator draws, and that is of about this size.
inline void expect_drawn(const Asset& asset, const TriMesh& drawn, const Vec3& size, double slack) {
  ASSERT_EQ(asset.surface.positions.size(), drawn.positions.size());
  ASSERT_EQ(asset.surface.triangles.size(), drawn.triangles.size());
  EXPECT_EQ(asset.surface.colors.size(), drawn.colors.size());
  double farthest = 0;
  for (size_t i = 0; i < drawn.positions.size(); ++i) farthest = std::max(farthest, (asset.surface.positions[i] - drawn.positions[i]).norm());
  EXPECT_LT(farthest, 1e-4);
  const Bounds bounds = bounds_of(drawn.positions);
  EXPECT_LT(((bounds.high - bounds.low) - size).cwiseAbs().maxCoeff(), slack);
}

/// Handles have their names and are no farther than this from where they were placed.
inline void expect_handles(const Asset& asset, const std::vector<Handle>& placed, double reach) {
  ASSERT_EQ(asset.handles.size(), placed.size());
  for (size_t h = 0; h < placed.size(); ++h) {
    EXPECT_EQ(asset.handles[h].name, placed[h].name);
    EXPECT_LT((asset.handles[h].position - placed[h].position).norm(), reach) << placed[h].name;
  }
}

}  // namespace crumple
