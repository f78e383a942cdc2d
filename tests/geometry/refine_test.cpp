#include "crumple/geometry/refine.h"

#include <map>

#include <gtest/gtest.h>

#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

double longest_edge(const TriMesh& mesh) {
  double longest = 0;
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) longest = std::max(longest, (mesh.positions[t[i]] - mesh.positions[t[(i + 1) % 3]]).norm());
  }
  return longest;
}

/// Every edge, by its places, is there once in each direction.
bool is_closed(const TriMesh& mesh) {
  std::map<std::array<double, 6>, int> balance;
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) {
      const Vec3 &a = mesh.positions[t[i]], &b = mesh.positions[t[(i + 1) % 3]];
      ++balance[{a[0], a[1], a[2], b[0], b[1], b[2]}], --balance[{b[0], b[1], b[2], a[0], a[1], a[2]}];
    }
  }
  for (const auto& [edge, count] : balance) {
    if (count != 0) return false;
  }
  return true;
}

TEST(Refine, leaves_no_long_edges_and_the_same_closed_surface) {
  for (const TriMesh& mesh : {make_box(Vec3(2, 0.4, 0.3)), make_cylinder(0.5, 3), make_sphere(1)}) {
    const TriMesh fine = refined(mesh, 0.1);
    EXPECT_LE(longest_edge(fine), 0.1);
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_TRUE(is_closed(fine));
    EXPECT_NEAR(signed_volume(fine.positions, fine.triangles), signed_volume(mesh.positions, mesh.triangles), 1e-12);
    for (size_t i = 0; i < mesh.positions.size(); ++i) EXPECT_EQ(fine.positions[i], mesh.positions[i]);
  }
}

TEST(Refine, leaves_a_fine_mesh_alone) {
  const TriMesh mesh = make_sphere(1);
  const TriMesh same = refined(mesh, 2.1);
  EXPECT_EQ(same.positions.size(), mesh.positions.size());
  EXPECT_EQ(same.triangles, mesh.triangles);
}

TEST(Refine, carries_colours_and_texture_coordinates_along) {
  TriMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, mesh.triangles = {{0, 1, 2}};
  for (const Vec3& p : mesh.positions) mesh.uvs.emplace_back(p.x(), p.y()), mesh.colors.emplace_back(p.x(), p.y(), 0.5f);
  const TriMesh fine = refined(mesh, 0.2);
  ASSERT_EQ(fine.uvs.size(), fine.positions.size());
  ASSERT_EQ(fine.colors.size(), fine.positions.size());
  for (size_t i = 0; i < fine.positions.size(); ++i) {
    EXPECT_NEAR(fine.uvs[i].x(), fine.positions[i].x(), 1e-6);
    EXPECT_NEAR(fine.colors[i].y(), fine.positions[i].y(), 1e-6);
  }
}

TEST(Refine, stops_before_it_has_too_many_triangles) {
  const TriMesh fine = refined(make_box(Vec3(1, 1, 1)), 1e-6, 5000);
  EXPECT_LE(fine.triangles.size(), 5000u);
  EXPECT_GT(fine.triangles.size(), 500u);
  EXPECT_TRUE(is_closed(fine));
}

}  // namespace
}  // namespace crumple
