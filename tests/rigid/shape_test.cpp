#include "crumple/rigid/shape.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/geometry/mass.h"
#include "crumple/rigid/convex_hull.h"
#include "tests/rigid/parts.h"

namespace crumple::rigid {
namespace {

using testing::box_corners;
using testing::turned;

TEST(MassProperties, of_a_box_from_the_closed_form_the_mesh_and_the_hull_agree) {
  const Vec3 size(0.4, 0.7, 1.1);
  const MassProperties box = mass_properties(Box{size}, 900);
  EXPECT_NEAR(box.mass, 900 * 0.4 * 0.7 * 1.1, 1e-9);
  EXPECT_NEAR(box.inertia.x(), box.mass / 12 * (0.49 + 1.21), 1e-9);
  for (const MassProperties& other : {mass_properties(make_box(size), 900), mass_properties(Hulls{{box_corners(-size / 2, size / 2)}}, 900)}) {
    EXPECT_NEAR(other.mass, box.mass, 1e-9);
    EXPECT_LT(other.center.norm(), 1e-12);
    EXPECT_LT((other.inertia - box.inertia).norm(), 1e-9);
  }
}

TEST(MassProperties, of_round_meshes_come_near_their_closed_forms) {
  const auto expect_near = [](const MassProperties& mesh, const MassProperties& exact) {
    EXPECT_NEAR(mesh.mass, exact.mass, 0.05 * exact.mass);
    EXPECT_LT((mesh.inertia - exact.inertia).norm(), 0.08 * exact.inertia.norm());
  };
  expect_near(mass_properties(make_sphere(0.5), 1000), mass_properties(Sphere{0.5}, 1000));
  expect_near(mass_properties(make_cylinder(0.3, 0.9), 1000), mass_properties(Cylinder{0.3, 0.9}, 1000));
  expect_near(mass_properties(make_capsule(0.3, 1.4), 1000), mass_properties(Capsule{0.3, 1.4}, 1000));
}

TEST(MassProperties, of_a_capsule_without_a_straight_part_is_the_sphere) {
  const MassProperties capsule = mass_properties(Capsule{0.3, 0.6}, 1000), sphere = mass_properties(Sphere{0.3}, 1000);
  EXPECT_NEAR(capsule.mass, sphere.mass, 1e-9);
  EXPECT_LT((capsule.inertia - sphere.inertia).norm(), 1e-9);
}

TEST(MassProperties, follow_a_turned_and_moved_mesh) {
  const Mat3 rotation = turned(0.3, Vec3(1, 2, -1));
  const Vec3 center(3, -2, 7);
  TriMesh mesh = make_box(Vec3(0.4, 0.7, 1.1));
  for (Vec3& p : mesh.positions) p = rotation * p + center;
  const MassProperties found = mass_properties(mesh, 900), box = mass_properties(Box{Vec3(0.4, 0.7, 1.1)}, 900);
  EXPECT_LT((found.center - center).norm(), 1e-9);
  EXPECT_LT((found.inertia - box.inertia).norm(), 1e-8);
  EXPECT_LT((found.axes - rotation).norm(), 1e-7);
}

TEST(MassProperties, of_planes_triangles_and_open_nothing_are_zero) {
  EXPECT_EQ(mass_properties(Plane{Vec3::UnitY(), 0}, 1000).mass, 0);
  EXPECT_EQ(mass_properties(Triangles{make_box(Vec3::Ones())}, 1000).mass, 0);
  EXPECT_EQ(mass_properties(TriMesh{}, 1000).mass, 0);
}

TEST(PrincipalAxes, stay_next_to_the_previous_ones) {
  const Mat3 before = turned(1.9, Vec3(0.2, 1, 0.4));
  const Mat3 truth = before * turned(0.05, Vec3(1, -1, 0.5));
  const Vec3 moments(3.0, 2.9, 0.7);  // two of them nearly alike
  const PrincipalFrame found = principal_frame(truth * moments.asDiagonal() * truth.transpose(), before);
  EXPECT_LT((found.axes - truth).norm(), 1e-9);
  EXPECT_LT((found.moments - moments).norm(), 1e-12);
}

TEST(ConvexHull, of_a_cube_with_points_inside_has_its_corners_and_its_volume) {
  std::vector<Vec3> points = {Vec3::Zero(), Vec3(0.1, 0.2, 0.3)};
  for (const Vec3& corner : box_corners(-Vec3::Ones(), Vec3::Ones())) points.push_back(corner);
  const ConvexHull hull = convex_hull(points);
  EXPECT_EQ(hull.vertices, (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(hull.faces.size(), 12u);
  double volume = 0;
  for (const auto& [a, b, c] : hull.faces) volume += points[a].dot(points[b].cross(points[c])) / 6;
  EXPECT_NEAR(volume, 8, 1e-12);
}

TEST(ConvexHull, survives_flat_and_tiny_point_sets) {
  convex_hull({});
  convex_hull(std::vector<Vec3>{Vec3::Zero()});
  convex_hull(std::vector<Vec3>(5, Vec3::Ones()));
  convex_hull(std::vector<Vec3>{Vec3::Zero(), Vec3::UnitX(), Vec3(2, 0, 0)});
  const ConvexHull square = convex_hull(std::vector<Vec3>{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(1, 1, 0)});
  EXPECT_EQ(square.vertices.size(), 4u);
}

}  // namespace
}  // namespace crumple::rigid
