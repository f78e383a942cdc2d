#include "crumple/io/paper1_asset.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "crumple/io/asset_check.h"
#include "crumple/io/files.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/rigged_body.h"
#include "tests/authors_data.h"

namespace crumple::io {
namespace {

double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Tetrahedron& tet : mesh.tets) sum += tet_volume(mesh.positions, tet);
  return sum;
}

/// The tetrahedra before the folder's planes scored them: copies of vertices are one again.
TetMesh unscored(const Asset& asset) {
  if (!asset.pieces) return asset.tets;
  TetMesh whole;
  const std::vector<int>& origin = asset.pieces->origin;
  whole.positions.resize(static_cast<size_t>(*std::max_element(origin.begin(), origin.end())) + 1);
  for (size_t v = 0; v < origin.size(); ++v) whole.positions[static_cast<size_t>(origin[v])] = asset.tets.positions[v];
  for (Tetrahedron tet : asset.tets.tets) {
    for (int& v : tet) v = origin[static_cast<size_t>(v)];
    whole.tets.push_back(tet);
  }
  std::sort(whole.tets.begin(), whole.tets.end());
  whole.tets.erase(std::unique(whole.tets.begin(), whole.tets.end()), whole.tets.end());
  return whole;
}

struct Expected {
  const char* folder;
  size_t vertices, tets, boundary, handles, examples;
  double volume;
};

class AuthorsAssets : public testing::TestWithParam<Expected> {};

TEST_P(AuthorsAssets, have_the_published_sizes) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  const Expected& expected = GetParam();
  const Result<Asset> asset = read_paper1_asset(*data / "examples" / expected.folder);
  ASSERT_TRUE(asset) << asset.error().text;
  EXPECT_EQ(asset->name, expected.folder);
  const TetMesh tets = unscored(*asset);
  EXPECT_EQ(tets.positions.size(), expected.vertices);
  EXPECT_EQ(tets.tets.size(), expected.tets);
  EXPECT_EQ(boundary_faces(tets).size(), expected.boundary);
  EXPECT_EQ(asset->handles.size(), expected.handles);
  EXPECT_EQ(asset->examples.size(), expected.examples);
  EXPECT_NEAR(volume(tets) / expected.volume, 1, 2e-4);
  for (const Tetrahedron& tet : asset->tets.tets) EXPECT_GT(tet_volume(asset->tets.positions, tet), 0);
}

TEST(AuthorsPlanes, that_cannot_be_are_refused) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "crumple_authors_planes";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const char* file : {"mesh.mesh", "coarseWeights.dmat", "bone_roots.bf", "exampleGraph.txt"})
    fs::create_symlink(fs::absolute(*data / "examples" / "tieFighter2" / file), folder / file);
  const std::pair<const char*, const char*> cases[] = {{"0 1 0\n", "offset"},
                                                       {"0 0 0 1\n", "planes.txt:1: the normal of a plane has no length"},
                                                       {"0 1 0 69\n0 x 0 1\n", "planes.txt:2"},
                                                       {"0 1 0 1e6\n", "no cut goes through the body"}};
  for (const auto& [text, message] : cases) {
    ASSERT_TRUE(write_file(folder / "planes.txt", text));
    const Result<Asset> asset = read_paper1_asset(folder);
    ASSERT_FALSE(asset) << text;
    EXPECT_NE(asset.error().text.find(message), std::string::npos) << asset.error().text;
  }
  fs::remove_all(folder);
}

TEST_P(AuthorsAssets, have_a_surface_around_their_tetrahedra) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  const Result<Asset> asset = read_paper1_asset(*data / "examples" / GetParam().folder);
  ASSERT_TRUE(asset) << asset.error().text;
  const Bounds tets = bounds_of(asset->tets.positions), surface = bounds_of(asset->surface.positions);
  EXPECT_LT((tets.low - surface.low).norm(), 0.1 * tets.diagonal());
  EXPECT_LT((tets.high - surface.high).norm(), 0.1 * tets.diagonal());
}

TEST_P(AuthorsAssets, have_handles_at_vertices_that_only_they_move) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  const Result<Asset> asset = read_paper1_asset(*data / "examples" / GetParam().folder);
  ASSERT_TRUE(asset) << asset.error().text;
  for (size_t h = 0; h < asset->handles.size(); ++h) {
    size_t nearest = 0;
    for (size_t v = 1; v < asset->tets.positions.size(); ++v) {
      const Vec3& handle = asset->handles[h].position;
      if ((asset->tets.positions[v] - handle).norm() < (asset->tets.positions[nearest] - handle).norm()) nearest = v;
    }
    EXPECT_GT(asset->weight(nearest, h), 0.99f) << "handle " << h;
  }
}

TEST_P(AuthorsAssets, survive_the_way_through_gltf) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  const Result<Asset> asset = read_paper1_asset(*data / "examples" / GetParam().folder);
  ASSERT_TRUE(asset) << asset.error().text;
  const Result<std::string> bytes = asset_to_glb(*asset);
  ASSERT_TRUE(bytes) << bytes.error().text;
  const Result<GltfDocument> document = parse_glb(*bytes, "asset.glb");
  ASSERT_TRUE(document) << document.error().text;
  const Result<Asset> back = asset_from_gltf(*document);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->weights, asset->weights);
  EXPECT_EQ(back->examples.size(), asset->examples.size());
  EXPECT_NEAR(volume(back->tets) / volume(asset->tets), 1, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Published, AuthorsAssets,
                         testing::Values(Expected{"barrel2", 1790, 8238, 1480, 12, 3, 2.1588e5},
                                         Expected{"AdamsCrownVic", 1578, 6762, 1558, 32, 6, 9.4768},
                                         Expected{"craneDanFracture", 1939, 7395, 2416, 14, 3, 11.065},
                                         Expected{"shippingContainer", 618, 2517, 690, 12, 3, 997.6},
                                         Expected{"tieFighter2", 1188, 4162, 1694, 12, 3, 1.9728e5}),
                         [](const auto& info) { return std::string(info.param.folder); });

/// A folder as the authors lay theirs out: one tetrahedron, one weightless tip between two that carry it, in swapped order.
class AuthorsFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    put("mesh.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\nTriangles\n1\n1 2 3 1\n"
        "Tetrahedra\n1\n1 2 4 3 1\nEnd\n");
    put("coarseWeights.dmat", "2 4\n1\n0\n0.5\n0.5\n0\n1\n0.5\n0.5\n");
    put("bone_roots.bf", "1 -1 1 0 0 1 0 0 0\n-3 -1 9 9 9 1 0 0 0\n0 -1 0 0 0 1 0 0 0\n");
    put("exampleGraph.txt",
        "2\n0 0 1 1 1\n3\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n"
        "0 0 1 1 1\n3\n1 2 3 -1 0 0 0\n7 7 7 1 0 0 0\n4 5 6 1 0 0 0\n1\n2\n0 1\n");
  }
  void put(const char* file, std::string_view text) { ASSERT_TRUE(write_file(folder_ / file, text)); }
  std::string complaint() {
    const Result<Asset> asset = read_paper1_asset(folder_);
    return asset ? "" : asset.error().text;
  }
  std::filesystem::path folder_;
};

TEST_F(AuthorsFolder, keeps_weighted_tips_in_the_order_of_their_columns) {
  const Result<Asset> asset = read_paper1_asset(folder_);
  ASSERT_TRUE(asset) << asset.error().text;
  ASSERT_EQ(asset->handles.size(), 2u);
  EXPECT_EQ(asset->handles[0].position, Vec3(0, 0, 0));
  EXPECT_EQ(asset->handles[1].position, Vec3(1, 0, 0));
  EXPECT_EQ(asset->examples[1].handles[0].translation, Vec3(4, 5, 6));
  EXPECT_EQ(asset->examples[1].handles[1].translation, Vec3(1, 2, 3));
  EXPECT_EQ(asset->examples[1].handles[1].rotation.w(), 1);
  EXPECT_DOUBLE_EQ(tet_volume(asset->tets.positions, asset->tets.tets[0]), 1.0 / 6);
  EXPECT_EQ(asset->surface.triangles.size(), 4u);
}

TEST_F(AuthorsFolder, scales_all_lengths_alike) {
  Result<Asset> asset = read_paper1_asset(folder_);
  ASSERT_TRUE(asset) << asset.error().text;
  scale_asset(*asset, 0.5);
  EXPECT_DOUBLE_EQ(tet_volume(asset->tets.positions, asset->tets.tets[0]), 1.0 / 48);
  EXPECT_EQ(asset->handles[1].position, Vec3(0.5, 0, 0));
  EXPECT_EQ(asset->examples[1].handles[0].translation, Vec3(2, 2.5, 3));
  EXPECT_EQ(bounds_of(asset->surface.positions).high, Vec3(0.5, 0.5, 0.5));
}

TEST_F(AuthorsFolder, says_what_is_wrong_and_where) {
  EXPECT_EQ(complaint(), "");
  put("exampleGraph.txt", "1\n0 0 1 1 1\n3\n0 0 0 2 0 0 0\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n");
  EXPECT_NE(complaint().find("has no valid rotation"), std::string::npos) << complaint();
  put("exampleGraph.txt", "2\n0 0 1 1 1\n3\n0 0 0 1 0 0 0\n0 0 0 1");
  EXPECT_NE(complaint().find("exampleGraph.txt:3: the number of tips is 3"), std::string::npos) << complaint();
  put("exampleGraph.txt", "1\n0 0 1 1 1\n2\n0 0 0 1 0 0 0\n0 0 0 1 0 0 0\n");
  EXPECT_NE(complaint().find("poses 2 tips"), std::string::npos) << complaint();
  put("bone_roots.bf", "1 -1 1 0 0\n1 -1 0 0 0\n");
  EXPECT_NE(complaint().find("share weight column 1"), std::string::npos) << complaint();
  put("bone_roots.bf", "1 -1 1 0 nan\n");
  EXPECT_NE(complaint().find("bone_roots.bf:1"), std::string::npos) << complaint();
  put("coarseWeights.dmat", "2 400000\n1\n");
  EXPECT_NE(complaint().find("cut off"), std::string::npos) << complaint();
  put("coarseWeights.dmat", "2 3\n1\n0\n0.5\n0.5\n0\n1\n");
  EXPECT_NE(complaint().find("weights for 3 vertices"), std::string::npos) << complaint();
  put("mesh.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 0 1\nTetrahedra\n1\n1 2 4 3 1\n");
  EXPECT_NE(complaint().find("asks for vertex 2"), std::string::npos) << complaint();
  std::filesystem::remove(folder_ / "mesh.mesh");
  EXPECT_NE(complaint().find("mesh.mesh: no such file"), std::string::npos) << complaint();
}

TEST_F(AuthorsFolder, fails_well_when_cut_off_anywhere) {
  for (const char* file : {"mesh.mesh", "coarseWeights.dmat", "bone_roots.bf", "exampleGraph.txt"}) {
    const std::string whole = *read_file(folder_ / file);
    for (size_t length = 0; length < whole.size(); length += 3) {
      put(file, whole.substr(0, length));
      const Result<Asset> asset = read_paper1_asset(folder_);
      EXPECT_TRUE(asset || !asset.error().text.empty());
    }
    put(file, whole);
  }
}

}  // namespace
}  // namespace crumple::io
