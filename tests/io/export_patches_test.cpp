// Surfaces that change are exported as patches that do not: in each frame these are what there was, and hardly a triangle is kept twice.
#include "crumple/io/export_patches.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace crumple::io {
namespace {

constexpr int kSheetCells = 12, kTearFrames = 60;

/// A sheet of cells with two triangles each, without one cell. Columns from `split` on have vertices of their own.
std::shared_ptr<const TriMesh> sheet(int missing, int split) {
  auto mesh = std::make_shared<TriMesh>();
  for (int j = 0; j <= kSheetCells; ++j) {
    for (int i = 0; i <= kSheetCells + 1; ++i) mesh->positions.emplace_back(i > split ? i - 1 : i, j, 0);
  }
  const auto vertex = [&](int i, int j, int cell) { return j * (kSheetCells + 2) + i + (cell >= split ? 1 : 0); };
  for (int c = 0; c < kSheetCells * kSheetCells; ++c) {
    if (c == missing) continue;
    const int i = c % kSheetCells, j = c / kSheetCells;
    mesh->triangles.push_back({vertex(i, j, i), vertex(i + 1, j, i), vertex(i + 1, j + 1, i)});
    mesh->triangles.push_back({vertex(i + 1, j + 1, i), vertex(i, j + 1, i), vertex(i, j, i)});
  }
  return mesh;
}

/// The hole wanders every ten frames. From frame 30 on the sheet is in two, which move apart.
Result<Frame> tearing(int index) {
  static const std::vector<std::shared_ptr<const TriMesh>> sheets = [] {
    std::vector<std::shared_ptr<const TriMesh>> all;
    for (int v = 0; v < kTearFrames / 10; ++v) all.push_back(sheet(5 * v, v < 3 ? kSheetCells + 1 : 6));
    return all;
  }();
  FrameItem item;
  item.name = "sheet", item.body = 0;
  item.surface = sheets[static_cast<size_t>(index / 10)];
  const float gap = index < 30 ? 0.0f : 0.1f * static_cast<float>(index - 30);
  for (size_t v = 0; v < item.surface->positions.size(); ++v) {
    const bool is_right = index >= 30 && static_cast<int>(v) % (kSheetCells + 2) > 6;
    item.positions.push_back(item.surface->positions[v].cast<float>() + Vec3f(is_right ? gap : 0.0f, 0, 0.01f * static_cast<float>(index)));
  }
  std::vector<int> pieces;
  for (const Triangle& t : item.surface->triangles) pieces.push_back(index >= 30 && t[0] % (kSheetCells + 2) > 6 ? 7 : 0);
  item.pieces = std::make_shared<const std::vector<int>>(std::move(pieces));
  FrameItem still;
  still.name = "still", still.surface = sheets[0];
  return Frame{index, index / 60.0, {item, still}};
}

/// Corners of all triangles, whatever their order.
std::multiset<std::array<float, 9>> drawn_triangles(const Frame& frame) {
  std::multiset<std::array<float, 9>> all;
  for (const FrameItem& item : frame.items) {
    for (const Triangle& t : item.surface->triangles) {
      std::array<std::array<float, 3>, 3> corners;
      for (size_t k = 0; k < 3; ++k) {
        const auto v = static_cast<size_t>(t[k]);
        const Vec3f p = item.positions.empty() ? Vec3f(item.surface->positions[v].cast<float>()) : item.positions[v];
        corners[k] = {p.x(), p.y(), p.z()};
      }
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      std::array<float, 9> flat;
      for (size_t k = 0; k < 9; ++k) flat[k] = corners[k / 3][k % 3];
      all.insert(flat);
    }
  }
  return all;
}

TEST(ExportPatches, frames_are_what_they_were) {
  Result<SurfacePatches> patches = SurfacePatches::find(tearing, kTearFrames);
  ASSERT_TRUE(patches) << patches.error().text;
  const FrameSource divided = patches->divide(tearing);
  for (int f = 0; f < kTearFrames; ++f) EXPECT_EQ(drawn_triangles(*divided(f)), drawn_triangles(*tearing(f))) << f;
  EXPECT_EQ(drawn_triangles(*divided(3)), drawn_triangles(*tearing(3))) << "in any order of time";
}

TEST(ExportPatches, hold_hardly_a_triangle_twice_and_keep_their_surfaces) {
  Result<SurfacePatches> patches = SurfacePatches::find(tearing, kTearFrames);
  ASSERT_TRUE(patches);
  const FrameSource divided = patches->divide(tearing);
  std::map<std::string, std::shared_ptr<const TriMesh>> surfaces;
  for (int f = 0; f < kTearFrames; ++f) {
    const Result<Frame> frame = divided(f);
    for (const FrameItem& item : frame->items) {
      const auto [place, is_new] = surfaces.try_emplace(item.name, item.surface);
      EXPECT_EQ(place->second, item.surface) << item.name;
    }
  }
  EXPECT_EQ(surfaces.count("still"), 1u);
  size_t triangles = 0;
  for (const auto& [name, surface] : surfaces) triangles += name == "still" ? 0 : surface->triangles.size();
  const size_t once = 2 * kSheetCells * kSheetCells;
  EXPECT_LE(triangles, once + 6 * 2 * 4) << "the six cells that are away for a while in at most four stretches";
  EXPECT_GE(triangles, once);
}

TEST(ExportPatches, pieces_that_end_apart_are_apart) {
  Result<SurfacePatches> patches = SurfacePatches::find(tearing, kTearFrames);
  ASSERT_TRUE(patches);
  std::set<int> large;
  const Result<Frame> first = patches->divide(tearing)(0);
  for (const FrameItem& item : first->items) {
    if (item.surface->triangles.size() > 50 && item.name != "still") large.insert(item.piece);
  }
  EXPECT_EQ(large, (std::set<int>{0, 7}));
}

TEST(ExportPatches, what_never_changes_is_left_alone) {
  const auto still = [](int index) -> Result<Frame> {
    Frame frame = *tearing(0);
    frame.number = index;
    return frame;
  };
  const Result<SurfacePatches> patches = SurfacePatches::find(still, 5);
  ASSERT_TRUE(patches);
  EXPECT_TRUE(patches->empty());
}

TEST(ExportPatches, another_surface_than_before_is_an_error) {
  Result<SurfacePatches> patches = SurfacePatches::find(tearing, kTearFrames);
  ASSERT_TRUE(patches);
  const auto other = [](int index) -> Result<Frame> {
    Frame frame = *tearing(index);
    frame.items[0].surface = sheet(-1, kSheetCells + 1), frame.items[0].positions.clear(), frame.items[0].pieces = nullptr;
    return frame;
  };
  EXPECT_FALSE(patches->divide(other)(0));
}

}  // namespace
}  // namespace crumple::io
