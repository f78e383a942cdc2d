// Point caches give back every vertex of every frame, and meshes beside them have the same vertices.
#include <gtest/gtest.h>
#include <unistd.h>

#include "crumple/io/export.h"
#include "crumple/io/files.h"
#include "crumple/io/obj.h"
#include "tests/io/players.h"

namespace crumple::io {
namespace {
namespace fs = std::filesystem;

constexpr int kCachedFrames = 7;

std::shared_ptr<const TriMesh> tetrahedron(double size) {
  auto mesh = std::make_shared<TriMesh>();
  mesh->positions = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
  mesh->triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

/// Two things: one turns and is pressed flat, the other comes in frame 2 and is another one from frame 5 on.
Result<Frame> cached_frame(int index) {
  static const auto first = tetrahedron(1), second = tetrahedron(0.5), third = tetrahedron(0.25);
  Frame frame{10 + index, 0.5 + index / 24.0, {}};
  FrameItem turns;
  turns.name = "turns", turns.surface = first;
  turns.place.translation = Vec3(index, 0.1, -2), turns.place.rotation = Eigen::AngleAxisd(0.3 * index, Vec3::UnitY()).toRotationMatrix();
  for (const Vec3& p : first->positions) turns.positions.emplace_back(static_cast<float>(p.x()), static_cast<float>(p.y() * (1 - 0.1 * index)), static_cast<float>(p.z()));
  frame.items.push_back(turns);
  if (index < 2) return frame;
  FrameItem comes;
  comes.name = "comes", comes.surface = index < 5 ? second : third, comes.place.translation = Vec3(0, index, 0);
  frame.items.push_back(comes);
  return frame;
}

class ExportCache : public testing::TestWithParam<CacheKind> {
 protected:
  fs::path folder = fs::temp_directory_path() / ("crumple_cache_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, ExportCache, testing::Values(CacheKind::Mdd, CacheKind::Pc2), [](const auto& info) { return info.param == CacheKind::Mdd ? "mdd" : "pc2"; });

TEST_P(ExportCache, gives_back_every_vertex_of_every_frame) {
  const fs::path file = folder / "shot.cache";
  const auto report = export_cache(cached_frame, kCachedFrames, GetParam(), file);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->frames, kCachedFrames);
  EXPECT_EQ(report->bytes, fs::file_size(file) + fs::file_size(folder / "shot.obj"));
  const Cache cache = read_cache(file, GetParam());
  ASSERT_EQ(cache.vertices, 12u) << "three surfaces of four";
  ASSERT_EQ(cache.frames.size(), static_cast<size_t>(kCachedFrames));
  for (int f = 0; f < kCachedFrames; ++f) {
    const Frame frame = *cached_frame(f);
    const std::vector<Vec3f>& places = cache.frames[static_cast<size_t>(f)];
    if (GetParam() == CacheKind::Mdd) {
      EXPECT_NEAR(cache.times[static_cast<size_t>(f)], f / 24.0, 1e-6);
    }
    for (size_t i = 0; i < 4; ++i) EXPECT_LT((places[i].cast<double>() - positions_of(frame.items[0])[i]).norm(), 1e-6);
    const size_t there = f < 2 ? 0 : f < 5 ? 4 : 8;  // where the second thing is in the cache
    for (size_t i = 0; there > 0 && i < 4; ++i) EXPECT_LT((places[there + i].cast<double>() - positions_of(frame.items[1])[i]).norm(), 1e-6);
    for (const size_t away : {4, 8}) {
      for (size_t i = 1; away != there && i < 4; ++i) EXPECT_EQ(places[away + i], places[away]) << "one point while it is away";
    }
  }
}

TEST_P(ExportCache, has_a_mesh_with_the_same_vertices_beside_it) {
  ASSERT_TRUE(export_cache(cached_frame, kCachedFrames, GetParam(), folder / "shot.cache"));
  const std::string text = *read_file(folder / "shot.obj");
  EXPECT_EQ(lines_of(text, "v "), 12);
  size_t faces = 0;
  for (size_t at = text.find("\nf "); at != std::string::npos; at = text.find("\nf ", at + 1)) ++faces;
  EXPECT_EQ(faces, 12u);
}

TEST_P(ExportCache, says_what_is_wrong_and_leaves_nothing_behind) {
  EXPECT_FALSE(export_cache(cached_frame, 0, GetParam(), folder / "a.cache"));
  EXPECT_FALSE(export_cache(cached_frame, 2, GetParam(), folder / "nowhere" / "a.cache"));
  EXPECT_FALSE(export_cache([](int) -> Result<Frame> { return Frame{}; }, 2, GetParam(), folder / "a.cache")) << "nothing to see";
  EXPECT_FALSE(export_cache([](int index) -> Result<Frame> { return index < 3 ? cached_frame(index) : input_error("torn"); }, 5, GetParam(), folder / "a.cache"));
  const auto broken = [](int index) -> Result<Frame> {
    Frame frame = *cached_frame(index);
    if (index == 4) frame.items[0].positions[2].y() = std::numeric_limits<float>::quiet_NaN();
    return frame;
  };
  EXPECT_FALSE(export_cache(broken, kCachedFrames, GetParam(), folder / "a.cache"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 0);
}

}  // namespace
}  // namespace crumple::io
