#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/elements.h"
#include "crumple/geometry/geodesic.h"
#include "crumple/geometry/mass.h"
#include "crumple/geometry/mesh.h"
#include "crumple/geometry/tet_mesh.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

Mat3 some_rotation(Random& random) {
  return Quat(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)).normalized().toRotationMatrix();
}

TEST(Mesh, primitives_are_closed_outward_and_have_their_volume) {
  const double pi = std::numbers::pi;
  EXPECT_NEAR(enclosed_volume(make_box({1, 2, 3})), 6, 1e-12);
  EXPECT_NEAR(enclosed_volume(make_sphere(0.5)), pi / 6, 0.01);
  EXPECT_NEAR(enclosed_volume(make_cylinder(0.5, 2)), pi / 2, 0.01);
  EXPECT_NEAR(enclosed_volume(make_capsule(0.5, 3)), pi / 6 + pi / 2, 0.02);
}

TEST(Mesh, convexity_is_seen) {
  EXPECT_TRUE(is_convex(make_cylinder(1, 1), 1e-6));
  TriMesh dented = make_box({1, 1, 1});
  const int middle = static_cast<int>(dented.positions.size());
  dented.positions.push_back({0.3, 0, 0});
  const Triangle face = dented.triangles.back();
  dented.triangles.back() = {face[0], face[1], middle};
  EXPECT_FALSE(is_convex(dented, 1e-6));
}

TEST(TetMesh, boundary_of_a_lattice_is_closed_and_has_its_area) {
  const TetMesh mesh = lattice_box({1, 2, 3}, 3);
  double area = 0;
  Vec3 sum = Vec3::Zero();
  for (const auto& [a, b, c] : boundary_faces(mesh)) {
    const Vec3 normal = (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]);
    area += 0.5 * normal.norm(), sum += normal;
  }
  EXPECT_NEAR(area, 2 * (2 + 6 + 3), 1e-9);
  EXPECT_NEAR(sum.norm(), 0, 1e-12);
}

TEST(TetMesh, lumped_masses_sum_to_density_times_volume) {
  const TetMesh mesh = lattice_box({1, 2, 3}, 3);
  double mass = 0;
  for (const double m : lumped_masses(mesh, 7)) mass += m;
  EXPECT_NEAR(mass, 42, 1e-9);
}

TEST(TetMesh, embedded_points_follow_any_affine_map) {
  const TetMesh mesh = lattice_box({1, 1, 1}, 4);
  Random random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) points.emplace_back(random.range(-0.55, 0.55), random.range(-0.55, 0.55), random.range(-0.55, 0.55));  // some outside
  const Embedding embedding = embed(mesh, points);
  Mat3 map;
  map << 1, 0.2, 0, -0.1, 0.8, 0.3, 0, 0.1, 1.2;
  for (size_t i = 0; i < points.size(); ++i) {
    Vec3 moved = Vec3::Zero();
    for (int k = 0; k < 4; ++k) moved += embedding.weights[i][k] * (map * mesh.positions[mesh.tets[embedding.tet[i]][k]]);
    EXPECT_LT((moved - map * points[i]).norm(), 1e-5);
  }
}

TEST(TriangleTree, finds_what_a_search_of_all_triangles_finds) {
  const TriMesh mesh = make_capsule(0.4, 2);
  const TriangleTree tree(mesh.positions, mesh.triangles);
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Vec3 point(random.range(-2, 2), random.range(-2, 2), random.range(-2, 2));
    double best = 1e300;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3 w = closest_barycentric(point, mesh.positions[a], mesh.positions[b], mesh.positions[c]);
      best = std::min(best, (w[0] * mesh.positions[a] + w[1] * mesh.positions[b] + w[2] * mesh.positions[c] - point).norm());
    }
    EXPECT_NEAR(tree.closest(point).distance, best, 1e-12);
  }
}

TEST(Geodesic, distances_along_a_bar_are_its_length_and_stop_at_the_radius) {
  const TetMesh mesh = lattice_box({10, 1, 1}, 1, {10, 1, 1});
  const EdgeGraph graph = edge_graph(mesh);
  int corner = 0;
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    if ((mesh.positions[v] - Vec3(-5, -0.5, -0.5)).norm() < 1e-9) corner = static_cast<int>(v);
  }
  const auto reached = reach(graph, corner, 4.5);
  EXPECT_EQ(reached[0].vertex, corner);
  double farthest = 0;
  for (const Reached& r : reached) {
    EXPECT_LT(r.distance, 4.5);
    EXPECT_GE(r.distance, (mesh.positions[r.vertex] - mesh.positions[corner]).norm() - 1e-5);  // never shorter than straight
    const Vec3 along = mesh.positions[r.vertex] - mesh.positions[corner];
    const bool is_along_an_edge = std::abs(along.y()) + std::abs(along.z()) < 1e-9;
    if (is_along_an_edge) {
      EXPECT_NEAR(r.distance, along.x(), 1e-5);
    }
    farthest = std::max(farthest, static_cast<double>(r.distance));
  }
  EXPECT_GT(farthest, 3.9);
}

TEST(Mass, of_points_equals_the_textbook_dumbbell) {
  const std::vector<Vec3f> points = {{11, 5, 5}, {9, 5, 5}};
  const std::vector<double> masses = {1, 3};
  const PointMassProperties p = mass_of_points(points, masses);
  EXPECT_NEAR(p.mass, 4, 1e-12);
  EXPECT_LT((p.center - Vec3(9.5, 5, 5)).norm(), 1e-12);
  EXPECT_NEAR(p.inertia(0, 0), 0, 1e-12);
  EXPECT_NEAR(p.inertia(1, 1), 1 * 1.5 * 1.5 + 3 * 0.5 * 0.5, 1e-12);
}

TEST(Mass, principal_axes_diagonalise_and_stay_next_to_where_they_were) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Mat3 rotation = some_rotation(random);
    const Vec3 moments(1, 1 + 1e-3 * random.unit(), 2);  // a drum: two moments nearly equal
    const Mat3 inertia = rotation * moments.asDiagonal() * rotation.transpose();
    const PrincipalFrame frame = principal_frame(inertia, rotation);
    EXPECT_LT((frame.axes - rotation).norm(), 1e-9);  // already principal: nothing turns
    const Mat3 start = some_rotation(random);
    const PrincipalFrame other = principal_frame(inertia, start);
    const Mat3 diagonal = other.axes.transpose() * inertia * other.axes;
    EXPECT_LT((diagonal - Mat3(other.moments.asDiagonal())).norm(), 1e-12);
    EXPECT_NEAR(other.axes.determinant(), 1, 1e-12);
  }
}

}  // namespace
}  // namespace crumple
