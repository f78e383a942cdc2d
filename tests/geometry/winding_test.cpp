#include "crumple/geometry/winding.h"

#include <gtest/gtest.h>

#include "crumple/geometry/bvh.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

/// Largest difference to the exact sum over random points around a mesh.
double largest_error(const TriMesh& mesh, uint64_t seed, int points) {
  const WindingTree tree(mesh.positions, mesh.triangles);
  Random random(seed);
  double largest = 0;
  for (int i = 0; i < points; ++i) {
    const Vec3 point(random.range(-2, 2), random.range(-2, 2), random.range(-2, 2));
    largest = std::max(largest, std::abs(tree.winding(point) - exact_winding(mesh.positions, mesh.triangles, point)));
  }
  return largest;
}

TriMesh with_big_hole() {
  TriMesh mesh = make_sphere(1);
  std::erase_if(mesh.triangles,
                [&](const Triangle& t) { return mesh.positions[t[0]].y() + mesh.positions[t[1]].y() + mesh.positions[t[2]].y() > 1e-9; });
  return mesh;
}

TEST(Winding, is_one_inside_and_zero_outside_closed_meshes) {
  for (const TriMesh& mesh : {make_box({1, 2, 3}), make_torus(1, 0.4), make_cylinder(0.5, 1)}) {
    const WindingTree tree(mesh.positions, mesh.triangles);
    const Vec3 inside = mesh.positions[0] + 1e-3 * (Vec3(0.0, 0, 0) - mesh.positions[0]);
    EXPECT_NEAR(tree.winding(inside), exact_winding(mesh.positions, mesh.triangles, inside), 1e-2);
    EXPECT_NEAR(tree.winding({5, 0, 0}), 0, 1e-3);
    EXPECT_NEAR(tree.winding({0, 0, 7}), 0, 1e-3);
  }
  const TriMesh box = make_box({1, 2, 3}), torus = make_torus(1, 0.4);
  EXPECT_NEAR(WindingTree(box.positions, box.triangles).winding({0.4, 0.9, -1.4}), 1, 1e-12);
  const WindingTree ring(torus.positions, torus.triangles);
  EXPECT_NEAR(ring.winding({1, 0, 0}), 1, 1e-2);
  EXPECT_NEAR(ring.winding({0, 0, 0}), 0, 1e-2);
}

TEST(Winding, agrees_with_the_sum_over_all_triangles) {
  EXPECT_LT(largest_error(make_sphere(1), 1, 2000), 1e-2);
  EXPECT_LT(largest_error(make_torus(1, 0.4), 2, 1000), 1e-2);
  EXPECT_LT(largest_error(make_lump(3), 3, 1000), 1e-2);
  EXPECT_LT(largest_error(with_big_hole(), 4, 1000), 1e-2);
}

TEST(Winding, tells_inside_exactly_away_from_the_surface) {
  for (const uint64_t seed : {1, 2, 3}) {
    const TriMesh mesh = make_lump(seed);
    const WindingTree tree(mesh.positions, mesh.triangles);
    const TriangleTree distance(mesh.positions, mesh.triangles);
    Random random(seed);
    for (int i = 0; i < 700; ++i) {
      const Vec3 point(random.range(-1.5, 1.5), random.range(-1.5, 1.5), random.range(-1.5, 1.5));
      if (distance.closest(point).distance < 1e-6) continue;
      EXPECT_EQ(tree.inside(point), exact_winding(mesh.positions, mesh.triangles, point) > 0.5);
    }
  }
}

TEST(Winding, fades_through_a_half_across_a_big_hole) {
  const TriMesh bowl = with_big_hole();
  const WindingTree tree(bowl.positions, bowl.triangles);
  EXPECT_NEAR(tree.winding({0, 0, 0}), 0.5, 0.01);
  EXPECT_NEAR(tree.winding({0.8, 0, 0}), 0.5, 0.05);
  EXPECT_GT(tree.winding({0, -0.5, 0}), 0.6);
  EXPECT_LT(tree.winding({0, 0.5, 0}), 0.4);
}

TEST(Winding, counts_overlapping_shells) {
  TriMesh two = make_sphere(1);
  append(two, make_sphere(1), {0.5, 0, 0});
  const WindingTree tree(two.positions, two.triangles);
  EXPECT_NEAR(tree.winding({0.25, 0, 0}), 2, 1e-2);
  EXPECT_NEAR(tree.winding({1.3, 0, 0}), 1, 1e-2);
}

TEST(Winding, of_nothing_is_zero_and_flat_triangles_add_nothing) {
  EXPECT_EQ(WindingTree({}, {}).winding({1, 2, 3}), 0);
  const std::vector<Vec3> line = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const std::vector<Triangle> triangle = {{0, 1, 2}};
  EXPECT_EQ(WindingTree(line, triangle).winding({1, 0, 0}), 0);
  EXPECT_EQ(WindingTree(line, triangle).winding({1, 1, 0}), 0);
}

}  // namespace
}  // namespace crumple
