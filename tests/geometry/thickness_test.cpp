#include "crumple/geometry/thickness.h"

#include <gtest/gtest.h>

#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

Thickness thickness_of(const TriMesh& mesh, double limit, double allowed = 0.1) {
  return measure_thickness(WindingTree(mesh.positions, mesh.triangles), sample_surface(mesh, 0.25 * limit, 20000), limit, allowed);
}

TEST(Thickness, of_a_square_bar_and_a_plate_is_what_a_ruler_tells) {
  for (const Vec3& size : {Vec3(4, 0.2, 0.2), Vec3(4, 0.2, 3)}) {
    const Thickness thickness = thickness_of(make_box(size), 0.5);
    EXPECT_NEAR(thickness.needed, 0.2, 0.002);
    EXPECT_NEAR(thickness.thinnest, 0.2, 0.002);
    // All but the ends, or the rim, is thin.
    const double ends = size.z() * 0.2 + (size.z() > 1 ? 4 * 0.2 : 0), sides = 4 * size.z() + (size.z() > 1 ? 0 : 4 * 0.2);
    EXPECT_NEAR(thickness.thin_share, sides / (sides + ends), 0.01);
  }
}

TEST(Thickness, of_a_thick_body_is_no_limit) {
  EXPECT_EQ(thickness_of(make_box({1, 1, 1}), 0.9).thin_share, 0);
  EXPECT_GE(thickness_of(make_sphere(1), 1.5).needed, 1.5);
}

TEST(Thickness, of_a_hollow_body_is_that_of_its_wall) {
  TriMesh hollow = make_box({2, 2, 2}), inner = make_box({1.9, 1.9, 1.9});
  for (Triangle& triangle : inner.triangles) turn(triangle);
  append(hollow, inner, {0, 0, 0});
  const Thickness thickness = thickness_of(hollow, 0.5);
  EXPECT_NEAR(thickness.needed, 0.05, 0.001);
  EXPECT_GT(thickness.thin_share, 0.95);
}

TEST(Thickness, all_may_be_thin_if_that_is_allowed) {
  EXPECT_GE(thickness_of(make_box({4, 0.2, 3}), 0.5, 1).needed, 0.5);
}

}  // namespace
}  // namespace crumple
