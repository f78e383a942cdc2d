#include "crumple/rig/surface_detail.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "crumple/geometry/refine.h"
#include "crumple/rig/make_rig.h"
#include "crumple/rig/pose.h"

namespace crumple {
namespace {

double longest_edge(const TriMesh& mesh) {
  double longest = 0;
  for (const Triangle& t : mesh.triangles) {
    for (size_t i = 0; i < 3; ++i)
      longest = std::max(longest, (mesh.positions[static_cast<size_t>(t[i])] - mesh.positions[static_cast<size_t>(t[(i + 1) % 3])]).norm());
  }
  return longest;
}

/// A box of 12 triangles, with texture coordinates that are places.
TriMesh textured_box() {
  TriMesh box = make_box({2, 0.5, 0.5});
  for (const Vec3& p : box.positions) box.uvs.emplace_back(p.x(), p.y());
  return box;
}

Asset rigged(const std::optional<double>& refine, RigReport& report) {
  RigSettings settings;
  settings.handles = 8, settings.cells = 12, settings.refine = refine;
  const Result<Asset> asset = make_rig(textured_box(), settings, report);
  EXPECT_TRUE(asset) << asset.error().text;
  return asset ? *asset : Asset();
}

bool warns_of_refine(const RigReport& report) {
  return std::ranges::any_of(report.warnings, [](const std::string& warning) { return warning.find("--refine") != std::string::npos; });
}

TEST(SurfaceDetail, an_edge_follows_if_it_is_a_sixth_of_the_way_between_handles_but_no_finer_than_a_cell) {
  const std::vector<Handle> line = {{"a", {0, 0, 0}}, {"b", {3, 0, 0}}, {"c", {6, 0, 0}}};
  EXPECT_NEAR(edge_to_follow(line, 0.1), 0.5, 1e-12);
  EXPECT_NEAR(edge_to_follow(line, 0.7), 0.7, 1e-12);
  EXPECT_NEAR(edge_to_follow(std::vector<Handle>{{"a", {0, 0, 0}}}, 0.2), 0.2, 1e-12);
}

TEST(SurfaceDetail, what_is_coarse_is_measured_by_area_and_rigid_parts_do_not_count) {
  TriMesh box = make_box({1, 1, 1});
  EXPECT_NEAR(share_with_longer_edges(box, 1.5), 0, 1e-12);
  EXPECT_NEAR(share_with_longer_edges(box, 1.3), 1, 1e-12);
  EXPECT_NEAR(share_with_longer_edges(refined(box, 0.4), 0.4), 0, 1e-12);
  box.rigid.assign(box.triangles.size(), 1);
  EXPECT_NEAR(share_with_longer_edges(box, 0.1), 0, 1e-12);
}

TEST(SurfaceDetail, a_rig_splits_the_surface_as_its_handles_need_and_says_so_where_it_is_not_asked_to) {
  RigReport coarse, fine, finest;
  const Asset whole = rigged(std::nullopt, coarse), split = rigged(0.0, fine), given = rigged(0.1, finest);
  EXPECT_TRUE(warns_of_refine(coarse));
  EXPECT_FALSE(warns_of_refine(fine));
  EXPECT_EQ(whole.surface.triangles.size(), 12u);
  EXPECT_EQ(fine.triangles_given, 12u);
  EXPECT_LE(longest_edge(split.surface), fine.edge_wanted * 1.0001);
  EXPECT_LE(longest_edge(given.surface), 0.1001);
  EXPECT_EQ(given.surface.positions.size(), whole.surface.positions.size() + finest.surface_parents.size() / 2);
  for (size_t v = 0; v < split.surface.positions.size(); ++v) EXPECT_NEAR(split.surface.uvs[v].x(), split.surface.positions[v].x(), 1e-6);
}

TEST(SurfaceDetail, a_split_surface_follows_a_pose_that_the_whole_one_misses) {
  RigReport report;
  const Asset whole = rigged(std::nullopt, report), split = rigged(0.0, report);
  const auto lowest =
      std::ranges::min_element(whole.handles, {}, [](const Handle& handle) { return handle.position.y() + std::abs(handle.position.x()); });
  const auto handle = static_cast<int>(lowest - whole.handles.begin());
  const std::vector<PoseGoal> goals = {{handle, Vec3(0, 0.2, 0), {}, false}};
  const std::vector<HandleTransform> pose = Poser(whole).solve(goals);
  const double before = stray_of_edges(whole, pose).farthest, after = stray_of_edges(split, pose).farthest;
  EXPECT_GT(before, 0.02);
  EXPECT_LT(after, 0.25 * before);
  EXPECT_NEAR(stray_of_edges(whole, whole.examples[0].handles).farthest, 0, 1e-6);
}

TEST(SurfaceDetail, rigid_parts_are_not_split_and_what_was_closed_stays_closed) {
  TriMesh both = make_box({1, 1, 1});
  both.rigid.assign(both.triangles.size(), 0);
  for (size_t t = 0; t < both.triangles.size(); ++t) {
    const Triangle& c = both.triangles[t];
    both.rigid[t] = both.positions[static_cast<size_t>(c[0])].y() + both.positions[static_cast<size_t>(c[1])].y() +
                                both.positions[static_cast<size_t>(c[2])].y() >
                            1.4
                        ? 1
                        : 0;
  }
  ASSERT_EQ(std::ranges::count(both.rigid, 1), 2) << "the lid";
  const TriMesh fine = refined(both, 0.2);
  ASSERT_EQ(fine.rigid.size(), fine.triangles.size());
  // Only its rim, which the sides share, is divided.
  const auto lid = std::ranges::count(fine.rigid, 1);
  EXPECT_LT(lid, 40);
  EXPECT_GT(std::ranges::count(fine.rigid, 0), 5 * lid);
  double area = 0;
  for (size_t t = 0; t < fine.triangles.size(); ++t) {
    const Triangle& c = fine.triangles[t];
    const Vec3& a = fine.positions[static_cast<size_t>(c[0])];
    if (fine.rigid[t] == 1) area += 0.5 * (fine.positions[static_cast<size_t>(c[1])] - a).cross(fine.positions[static_cast<size_t>(c[2])] - a).norm();
  }
  EXPECT_NEAR(area, 1, 1e-9);
}

}  // namespace
}  // namespace crumple
