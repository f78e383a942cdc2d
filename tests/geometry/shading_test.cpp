#include "crumple/geometry/shading.h"

#include <cmath>

#include <gtest/gtest.h>

namespace crumple {
namespace {

std::vector<Vec3f> points_of(const TriMesh& mesh) {
  std::vector<Vec3f> points;
  for (const Vec3& p : mesh.positions) points.push_back(p.cast<float>());
  return points;
}

double degrees(const Vec3f& a, const Vec3f& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / M_PI;
}

/// Two triangles that meet at an edge whose vertices are doubled; the second is folded up by an angle.
TriMesh folded(double angle) {
  TriMesh mesh;
  mesh.positions = {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {std::cos(angle), std::sin(angle), 0}};
  mesh.triangles = {{0, 2, 1}, {3, 4, 5}};
  return mesh;
}

TEST(Shading, a_texture_seam_is_smooth_and_a_crease_is_not) {
  for (const auto& [angle, smooth] : {std::pair(0.3, true), std::pair(1.2, false)}) {
    const TriMesh mesh = folded(angle);
    const std::vector<Vec3f> normals = Shading(mesh).normals(points_of(mesh), mesh.triangles);
    if (smooth) {
      EXPECT_LT(degrees(normals[0], normals[3]), 0.01);
    } else {
      EXPECT_NEAR(degrees(normals[0], normals[3]), angle * 180 / M_PI, 0.01);
    }
  }
}

TEST(Shading, own_normals_stay_at_rest) {
  TriMesh mesh = folded(0.3);
  mesh.normals.assign(6, Vec3f(0.1f, 0.9f, -0.2f).normalized());
  const std::vector<Vec3f> normals = Shading(mesh).normals(points_of(mesh), mesh.triangles);
  for (size_t v = 0; v < 6; ++v) EXPECT_LT(degrees(normals[v], mesh.normals[v]), 0.02);
}

TEST(Shading, own_normals_turn_with_the_surface) {
  TriMesh mesh = make_sphere(1);
  for (const Vec3& p : mesh.positions) mesh.normals.push_back((p + Vec3(0.1, 0.05, 0)).cast<float>().normalized());
  const Eigen::AngleAxisf turn(0.3f, Vec3f(1, 1, 0).normalized());
  std::vector<Vec3f> turned = points_of(mesh);
  for (Vec3f& p : turned) p = turn * p;
  const std::vector<Vec3f> normals = Shading(mesh).normals(turned, mesh.triangles);
  for (const Triangle& triangle : mesh.triangles) {
    for (const int v : triangle) EXPECT_LT(degrees(normals[v], turn * mesh.normals[v]), 0.05);
  }
}

TEST(Shading, own_normals_decide_what_is_a_crease) {
  TriMesh mesh = folded(0.0);
  const Vec3f left = Vec3f(-1, 1, 0).normalized(), right = Vec3f(1, 1, 0).normalized();
  mesh.normals = {left, left, left, right, right, right};
  std::vector<Vec3f> bent = points_of(mesh);
  bent[5] = Vec3f(std::cos(0.5f), std::sin(0.5f), 0);
  const std::vector<Vec3f> normals = Shading(mesh).normals(bent, mesh.triangles);
  EXPECT_LT(degrees(normals[0], left), 0.01);
  EXPECT_LT(degrees(normals[3], Eigen::AngleAxisf(0.5f, Vec3f::UnitZ()) * right), 0.01);
}

TEST(Shading, unsound_surfaces_have_plain_normals) {
  TriMesh mesh = folded(0.1);
  mesh.positions[2].x() = NAN;
  mesh.normals.assign(6, Vec3f::UnitX());
  EXPECT_EQ(Shading(mesh).normals(points_of(folded(0.1)), mesh.triangles).size(), 6u);
}

}  // namespace
}  // namespace crumple
