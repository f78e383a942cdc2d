#include "crumple/rigid/hulls.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "crumple/rigid/hull_overshoot.h"
#include "tests/rigid/tet_lattice.h"

namespace crumple::rigid {
namespace {

using namespace testing;

TetMesh l_mesh() {
  return lattice(10, 10, 3, 0.1, [](int x, int y, int) { return x < 3 || y < 3; });
}

void expect_every_tet_in_some_hull(const TetMesh& mesh, const std::vector<Vec3>& shape, const HullDecomposition& hulls, double slack) {
  std::vector<std::vector<double>> reaches;
  for (const auto& vertices : hulls.vertices) reaches.push_back(reach(gather(shape, vertices)));
  for (const Tetrahedron& tet : mesh.tets) {
    const std::vector<double> needed = reach(gather(shape, tet));
    EXPECT_TRUE(std::any_of(reaches.begin(), reaches.end(), [&](const std::vector<double>& given) {
      return std::equal(needed.begin(), needed.end(), given.begin(), [&](double want, double have) { return want <= have + slack; });
    }));
  }
}

TEST(Hulls, of_a_box_do_not_stand_out) {
  const TetMesh mesh = box_mesh();
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions};
  const HullDecomposition hulls = decompose(mesh, shapes, {.tolerance = 0.01, .least = 1, .most = 8});
  EXPECT_EQ(hulls.vertices.size(), 1u);
  EXPECT_EQ(hulls.vertices[0].size(), 8u);  // corners only
  EXPECT_LT(hulls.overshoot, 1e-9);
  expect_every_tet_in_some_hull(mesh, mesh.positions, hulls, 1e-6);
}

TEST(Hulls, every_tetrahedron_and_every_face_belongs_to_a_hull_in_every_shape) {
  const TetMesh mesh = box_mesh();
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions, bent(mesh, 0.4), bent(mesh, -0.6)};
  const HullDecomposition hulls = decompose(mesh, shapes, {.tolerance = 0.01, .least = 4, .most = 16});
  for (const auto& shape : shapes) expect_every_tet_in_some_hull(mesh, shape, hulls, 1e-4);
  std::set<int> faces;
  for (const auto& of_hull : hulls.faces) faces.insert(of_hull.begin(), of_hull.end());
  EXPECT_EQ(faces.size(), boundary_faces(mesh).size());
  EXPECT_EQ(hulls.faces.size(), hulls.vertices.size());
}

TEST(Hulls, hold_shapes_between_the_examples_too) {
  const TetMesh mesh = box_mesh();
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions, bent(mesh, 0.4), bent(mesh, -0.6)};
  const HullDecomposition hulls = decompose(mesh, shapes, {.tolerance = 0.01, .least = 4, .most = 16});
  expect_every_tet_in_some_hull(mesh, bent(mesh, 0.25), hulls, 1e-3);
  expect_every_tet_in_some_hull(mesh, bent(mesh, -0.1), hulls, 1e-3);
}

TEST(Hulls, of_an_l_reach_the_tolerance) {
  const TetMesh mesh = l_mesh();
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions};
  const HullDecomposition one = decompose(mesh, shapes, {.tolerance = 0.02, .least = 1, .most = 1});
  EXPECT_GT(one.overshoot, 0.2);
  const HullDecomposition hulls = decompose(mesh, shapes, {.tolerance = 0.02, .least = 2, .most = 24});
  EXPECT_LE(hulls.overshoot, 0.02);
  EXPECT_LT(hulls.vertices.size(), 24u);
}

TEST(Hulls, bridging_in_an_example_counts_as_well) {
  const TetMesh mesh = box_mesh();
  const std::vector<std::vector<Vec3>> rest = {mesh.positions}, with_bend = {mesh.positions, bent(mesh, 1.0)};
  const HullSettings settings{.tolerance = 0.01, .least = 1, .most = 16};
  EXPECT_EQ(decompose(mesh, rest, settings).vertices.size(), 1u);
  const HullDecomposition hulls = decompose(mesh, with_bend, settings);
  EXPECT_GT(hulls.vertices.size(), 1u);
  EXPECT_LE(hulls.overshoot, 0.01);
}

TEST(Hulls, come_out_the_same_every_time) {
  const TetMesh mesh = l_mesh();
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions, bent(mesh, 0.4)};
  const HullDecomposition a = decompose(mesh, shapes, {}), b = decompose(mesh, shapes, {});
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.overshoot, b.overshoot);
}

TEST(Hulls, cope_with_meshes_too_small_to_cut) {
  TetMesh mesh;
  EXPECT_TRUE(decompose(mesh, {}, {}).vertices.empty());
  mesh.positions = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
  mesh.tets = {{0, 1, 2, 3}};
  const HullDecomposition hulls = decompose(mesh, {}, {});
  ASSERT_EQ(hulls.vertices.size(), 1u);
  EXPECT_EQ(hulls.vertices[0].size(), 4u);
  EXPECT_EQ(hulls.faces[0].size(), 4u);
}

TEST(BodySurface, tells_inside_from_outside_next_to_edges_and_corners) {
  const TetMesh mesh = l_mesh();
  const BodySurface surface(mesh.positions, boundary_faces(mesh));
  EXPECT_NEAR(surface.signed_distance(Vec3(0.15, 0.15, 0.15)), -0.15, 1e-12);
  EXPECT_NEAR(surface.signed_distance(Vec3(-0.3, -0.4, 0.15)), 0.5, 1e-12);    // edge
  EXPECT_NEAR(surface.signed_distance(Vec3(-0.1, -0.2, -0.2)), 0.3, 1e-12);    // corner
  EXPECT_NEAR(surface.signed_distance(Vec3(0.4, 0.5, 0.15)), 0.1, 1e-12);      // in the notch
  EXPECT_NEAR(surface.signed_distance(Vec3(0.27, 0.26, 0.15)), -0.05, 1e-12);  // behind the notch's edge
}

}  // namespace
}  // namespace crumple::rigid
