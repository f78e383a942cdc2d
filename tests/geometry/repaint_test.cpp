#include <gtest/gtest.h>

#include "crumple/geometry/repaint.h"

namespace crumple {
namespace {

const Vec3f kBlue(0, 0, 1), kGlass(0.1f, 0.1f, 0.1f), kRed(1, 0, 0);

/// Two unit triangles of glass, many in number of vertices, and one large blue one.
TriMesh large_blue_and_small_glass() {
  TriMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}, {3, 0, 2}, {0, 3, 2}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
  mesh.colors = {kGlass, kGlass, kGlass, kGlass, kGlass, kGlass, kBlue, kBlue, kBlue};
  return mesh;
}

TEST(Repaint, the_main_color_is_that_of_the_largest_area) {
  EXPECT_EQ(main_color(large_blue_and_small_glass()), kBlue);
  EXPECT_EQ(main_color({}), Vec3f(0, 0, 0));
}

TEST(Repaint, replaces_one_color_and_leaves_the_others) {
  const TriMesh mesh = large_blue_and_small_glass();
  const TriMesh red = repainted(mesh, kBlue, kRed);
  for (size_t v = 0; v < mesh.colors.size(); ++v) EXPECT_EQ(red.colors[v], v < 6 ? kGlass : kRed) << v;
  EXPECT_EQ(red.triangles, mesh.triangles);
}

TEST(Repaint, a_darker_shade_becomes_a_darker_shade_unless_all_is_grey) {
  TriMesh mesh = large_blue_and_small_glass();
  mesh.colors[0] = 0.75f * kBlue;
  EXPECT_LT((repainted(mesh, kBlue, kRed).colors[0] - 0.75f * kRed).norm(), 1e-6f);
  mesh.colors[0] = 0.75f * kGlass;
  EXPECT_EQ(repainted(mesh, kGlass, kRed).colors[0], Vec3f(0.75f * kGlass));
  EXPECT_EQ(repainted(mesh, kGlass, kRed).colors[1], kRed);
}

TEST(Repaint, leaves_a_surface_without_colors_alone) {
  TriMesh mesh = large_blue_and_small_glass();
  mesh.colors.clear();
  EXPECT_TRUE(repainted(mesh, kBlue, kRed).colors.empty());
}

}  // namespace
}  // namespace crumple
