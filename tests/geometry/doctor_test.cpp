#include "crumple/geometry/doctor.h"

#include <limits>

#include <gtest/gtest.h>

#include "crumple/core/timer.h"
#include "crumple/geometry/winding.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

using Kind = MeshFinding::Kind;

TriMesh welded_sphere() {
  TriMesh mesh = make_sphere(1);
  repair(mesh);
  return mesh;
}

TEST(Doctor, finds_nothing_in_a_healthy_mesh) {
  const MeshReport report = examine(make_torus(1, 0.4));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.shells, 1u);
  EXPECT_NEAR(report.volume, 2 * M_PI * M_PI * 0.16, 0.1);
}

TEST(Doctor, merges_doubled_vertices_and_sees_the_box_closed) {
  TriMesh box = make_box({1, 1, 1});
  const MeshReport seen = examine(box);
  EXPECT_FALSE(seen.find(Kind::DoubledVertices)->repaired);
  const MeshReport report = repair(box);
  EXPECT_EQ(box.positions.size(), 8u);
  EXPECT_EQ(report.find(Kind::DoubledVertices)->count, 16u);
  EXPECT_TRUE(report.find(Kind::DoubledVertices)->repaired);
  EXPECT_TRUE(report.closed());
  EXPECT_NEAR(report.volume, 1, 1e-12);
}

TEST(Doctor, keeps_creases_when_welding_is_off_and_seams_of_texture_always) {
  RepairSettings drawn;
  drawn.weld = false;
  TriMesh box = make_box({1, 1, 1});
  EXPECT_TRUE(repair(box, drawn).closed());
  EXPECT_EQ(box.positions.size(), 24u);
  for (size_t v = 0; v < 24; ++v) box.uvs.emplace_back(static_cast<float>(v), 0.0f);
  EXPECT_TRUE(repair(box).closed());
  EXPECT_EQ(box.positions.size(), 24u);
  EXPECT_EQ(box.uvs.size(), 24u);
}

TEST(Doctor, removes_vertices_that_are_no_numbers_and_triangles_that_name_none) {
  TriMesh mesh = welded_sphere();
  const size_t before = mesh.triangles.size();
  mesh.positions.push_back({std::numeric_limits<double>::quiet_NaN(), 0, 0});
  mesh.positions.push_back({1e300, 0, 0});
  const int last = static_cast<int>(mesh.positions.size()) - 1;
  mesh.triangles.insert(mesh.triangles.end(), {{0, 1, last}, {2, last - 1, 3}, {0, 1, 1 << 30}, {-1, 0, 1}});
  const MeshReport report = repair(mesh);
  EXPECT_EQ(report.find(Kind::NotFinite)->count, 2u);
  EXPECT_EQ(report.find(Kind::BadIndex)->count, 2u);
  EXPECT_EQ(mesh.triangles.size(), before);
  for (const Vec3& p : mesh.positions) EXPECT_TRUE(p.allFinite());
}

TEST(Doctor, removes_collapsed_and_doubled_triangles_and_unused_vertices) {
  TriMesh mesh = welded_sphere();
  const size_t before = mesh.triangles.size();
  mesh.triangles.push_back({5, 5, 9});
  mesh.triangles.push_back(mesh.triangles[7]);
  mesh.positions.push_back({0.5, 0, 0});
  const MeshReport report = repair(mesh);
  EXPECT_EQ(report.find(Kind::Degenerate)->count, 1u);
  EXPECT_EQ(report.find(Kind::DoubledFaces)->count, 1u);
  EXPECT_EQ(report.find(Kind::UnusedVertices)->count, 1u);
  EXPECT_EQ(mesh.triangles.size(), before);
  EXPECT_TRUE(repair(mesh).findings.empty());
}

TEST(Doctor, removes_a_wall_between_two_glued_boxes) {
  TriMesh mesh = make_box({1, 1, 1});
  append(mesh, make_box({1, 1, 1}), {1, 0, 0});
  const MeshReport report = repair(mesh);
  EXPECT_EQ(report.find(Kind::DoubledFaces)->count, 2u);
  EXPECT_TRUE(report.closed());
  EXPECT_EQ(report.find(Kind::NonManifoldEdges), nullptr);
  EXPECT_NEAR(report.volume, 2, 1e-12);
}

TEST(Doctor, turns_flipped_triangles) {
  TriMesh mesh = welded_sphere();
  const double volume = signed_volume(mesh.positions, mesh.triangles);
  for (size_t t = 0; t < mesh.triangles.size(); t += 3) turn(mesh.triangles[t]);
  const MeshReport report = repair(mesh);
  EXPECT_EQ(report.find(Kind::FlippedFaces)->count, (mesh.triangles.size() + 2) / 3);
  EXPECT_NEAR(signed_volume(mesh.positions, mesh.triangles), volume, 1e-9);
}

TEST(Doctor, turns_shells_that_are_inside_out_but_keeps_cavities) {
  TriMesh mesh = welded_sphere();
  for (Triangle& t : mesh.triangles) turn(t);
  TriMesh hollow = mesh;
  EXPECT_NE(repair(mesh).find(Kind::InsideOut), nullptr);
  EXPECT_GT(signed_volume(mesh.positions, mesh.triangles), 4);

  append(hollow, make_box({4, 4, 4}), Vec3::Zero());
  const MeshReport report = repair(hollow);
  EXPECT_EQ(report.find(Kind::InsideOut), nullptr);
  EXPECT_EQ(report.shells, 2u);
  EXPECT_NEAR(report.volume, 64 - 4.16, 0.05);
}

TEST(Doctor, fills_small_holes_and_leaves_big_ones) {
  TriMesh small = welded_sphere();
  const double volume = signed_volume(small.positions, small.triangles);
  std::erase_if(small.triangles, [&](const Triangle& t) { return small.positions[t[0]].y() > 0.99; });
  const MeshReport report = repair(small);
  ASSERT_NE(report.find(Kind::Hole), nullptr);
  EXPECT_TRUE(report.find(Kind::Hole)->repaired);
  EXPECT_NEAR(report.find(Kind::Hole)->place.y(), 1, 0.1);
  EXPECT_TRUE(report.closed());
  EXPECT_NEAR(report.volume, volume, 0.02);
  EXPECT_TRUE(repair(small).findings.empty());

  TriMesh big = welded_sphere();
  std::erase_if(big.triangles, [&](const Triangle& t) { return big.positions[t[0]].y() > 0.3; });
  const MeshReport open = repair(big);
  EXPECT_FALSE(open.find(Kind::Hole)->repaired);
  EXPECT_FALSE(open.closed());
}

TEST(Doctor, takes_holes_apart_that_touch_in_a_point) {
  TriMesh mesh = make_torus(1, 0.4);
  std::erase(mesh.triangles, Triangle(mesh.triangles[100]));
  const Triangle gone = mesh.triangles[100];
  const MeshReport one = examine(mesh);
  EXPECT_EQ(one.find(Kind::Hole)->count, 1u);
  for (size_t t = 200; t < mesh.triangles.size(); ++t) {
    const Triangle& other = mesh.triangles[t];
    const int shared =
        static_cast<int>(std::count_if(other.begin(), other.end(), [&](int v) { return std::count(gone.begin(), gone.end(), v) > 0; }));
    if (shared == 1) {
      mesh.triangles.erase(mesh.triangles.begin() + static_cast<long>(t));
      break;
    }
  }
  EXPECT_TRUE(repair(mesh).closed());
}

TEST(Doctor, reports_crowded_edges_tiny_shells_flat_meshes_and_odd_units) {
  TriMesh fin = welded_sphere();
  fin.positions.push_back({3, 0, 0});
  const Triangle first = fin.triangles[500];
  fin.triangles.push_back({first[0], first[1], static_cast<int>(fin.positions.size()) - 1});
  EXPECT_EQ(examine(fin).find(Kind::NonManifoldEdges)->count, 1u);

  TriMesh speck = make_sphere(1);
  append(speck, make_box({0.001, 0.001, 0.001}), {2, 0, 0});
  EXPECT_EQ(examine(speck).find(Kind::TinyShells)->count, 1u);

  EXPECT_NE(examine(make_plane_patch({0, 1, 0}, 0, 1)).find(Kind::Flat), nullptr);
  EXPECT_NE(examine(TriMesh{}).find(Kind::Empty), nullptr);
  EXPECT_NE(examine(make_sphere(1500)).find(Kind::Units), nullptr);
  EXPECT_NE(examine(make_sphere(1e-5)).find(Kind::Units), nullptr);
}

TEST(Doctor, sees_a_moebius_strip) {
  TriMesh strip;
  constexpr int kParts = 20;
  for (int i = 0; i < kParts; ++i) {
    const double a = 2 * M_PI * i / kParts, half = a / 2;
    for (const double side : {-0.3, 0.3}) {
      const double radius = 1 + side * std::cos(half);
      strip.positions.emplace_back(radius * std::cos(a), radius * std::sin(a), side * std::sin(half));
    }
  }
  for (int i = 0; i < kParts; ++i) {
    const bool last = i == kParts - 1;
    const int a = 2 * i, b = 2 * i + 1, c = last ? 1 : a + 2, d = last ? 0 : a + 3;
    strip.triangles.push_back({a, c, b}), strip.triangles.push_back({b, c, d});
  }
  EXPECT_EQ(examine(strip).find(Kind::OneSided)->count, 1u);
}

TEST(Doctor, survives_random_triangles) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TriMesh mesh;
    for (int i = 0; i < 40; ++i) mesh.positions.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
    for (int i = 0; i < 200; ++i) mesh.triangles.push_back({random.below(42) - 1, random.below(41), random.below(40)});
    repair(mesh);
    for (const Triangle& t : mesh.triangles) {
      for (const int v : t) ASSERT_TRUE(v >= 0 && v < static_cast<int>(mesh.positions.size()));
    }
  }
}

TEST(Doctor, needs_a_few_seconds_for_half_a_million_triangles) {
  TriMesh mesh = make_torus(1, 0.4, 500, 500);
  const double start = cpu_seconds();
  EXPECT_TRUE(repair(mesh).findings.empty());
  EXPECT_LT(cpu_seconds() - start, 10);  // measured: below one
}

}  // namespace
}  // namespace crumple
