#include "crumple/geometry/point_skin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/doctor.h"
#include "crumple/geometry/sample.h"
#include "crumple/geometry/winding.h"
#include "crumple/io/particles.h"
#include "tests/authors_data.h"
#include "tests/geometry/closed_checks.h"
#include "tests/geometry/surfaces.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

std::vector<Vec3> cloud_in(const TriMesh& surface, double spacing, bool hug = true, SampleKind kind = SampleKind::BlueNoise) {
  SampleSettings settings;
  settings.spacing = spacing, settings.hug = hug, settings.kind = kind;
  const Result<std::vector<Vec3>> points = sample_inside(surface, settings);
  EXPECT_TRUE(points) << points.error().text;
  return points ? *points : std::vector<Vec3>();
}
TriMesh skin(const std::vector<Vec3>& points, const SkinSettings& settings = {}) {
  const Result<TriMesh> mesh = skin_of_points(points, settings);
  EXPECT_TRUE(mesh) << mesh.error().text;
  if (!mesh) return {};
  EXPECT_TRUE(is_closed_manifold(*mesh));
  return *mesh;
}
/// How far any part of the skin is from the nearest point.
double farthest_from(const std::vector<Vec3>& points, const TriMesh& mesh) {
  double farthest = 0;
  for (const Vec3& p : mesh.positions) {
    double nearest = 1e300;
    for (const Vec3& q : points) nearest = std::min(nearest, (p - q).squaredNorm());
    farthest = std::max(farthest, nearest);
  }
  return std::sqrt(farthest);
}

TEST(PointSkin, of_a_box_has_flat_sides_and_edges) {
  const Vec3 size(1, 0.4, 0.4);
  const double spacing = 0.04;
  for (const bool hug : {true, false}) {
    const TriMesh mesh = skin(cloud_in(make_box(size), spacing, hug));
    EXPECT_EQ(euler_number(mesh), 2);
    EXPECT_NEAR(enclosed_volume(mesh), 0.16, 0.16 * (hug ? 0.2 : 0.1));
    const Vec3 half = 0.5 * (bounds_of(mesh.positions).high - bounds_of(mesh.positions).low);
    EXPECT_LT((half - 0.5 * size).cwiseAbs().maxCoeff(), 0.4 * spacing);
    // Area within a spacing of the edges aside, all of it looks straight along an axis and lies in one plane for each side.
    double straight = 0, all = 0, squares = 0, sum = 0, count = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3 at = (mesh.positions[a] + mesh.positions[b] + mesh.positions[c]) / 3;
      if (at.z() < 0.5 * half.z() || (half - at.cwiseAbs()).head<2>().minCoeff() < 1.5 * spacing) continue;
      const Vec3 cross = 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]);
      all += cross.norm(), straight += cross.z(), sum += at.z(), squares += at.z() * at.z(), count += 1;
    }
    EXPECT_GT(straight, 0.997 * all);
    EXPECT_LT(std::sqrt(squares / count - sum * sum / count / count), 0.08 * spacing);
    // Where two sides meet there is an edge: near it the body is still nearly as wide as elsewhere.
    double corner = 1e300;
    for (const Vec3& p : mesh.positions)
      if (std::abs(p.x()) < 0.3) corner = std::min(corner, (Vec3(0, half.y(), half.z()) - p.cwiseAbs()).tail<2>().norm());
    EXPECT_LT(corner, 0.5 * spacing);
  }
}

TEST(PointSkin, lies_half_a_spacing_outside_at_most_and_holds_nearly_all_points) {
  const std::vector<Vec3> points = cloud_in(make_torus(0.5, 0.2), 0.07);
  const TriMesh mesh = skin(points);
  EXPECT_EQ(euler_number(mesh), 0);
  EXPECT_LT(farthest_from(points, mesh), 1.3 * 0.07);
  const WindingTree winding(mesh.positions, mesh.triangles);
  EXPECT_GT(std::count_if(points.begin(), points.end(), [&](const Vec3& p) { return winding.inside(p); }), 0.95 * static_cast<double>(points.size()));
  for (const Vec3& p : mesh.positions) EXPECT_LT(std::hypot(std::hypot(p.x(), p.y()) - 0.5, p.z()), 0.2 + 0.5 * 0.07);
}

TEST(PointSkin, encloses_the_volume_it_is_asked_for_within_what_it_may_move) {
  const std::vector<Vec3> points = cloud_in(make_box({1, 0.4, 0.4}), 0.04);
  SkinSettings settings;
  for (const double volume : {0.15, 0.16, 0.18}) {
    settings.volume = volume;
    EXPECT_NEAR(enclosed_volume(skin(points, settings)), volume, 0.005 * volume);
  }
  settings.volume = 1;  // too much: 0.4 spacings and no more
  EXPECT_LT(farthest_from(points, skin(points, settings)), 1.4 * 0.04);
}

TEST(PointSkin, a_hollow_ball_has_an_inner_and_an_outer_skin) {
  TriMesh shell = make_sphere(0.5), core = make_sphere(0.35);
  for (Triangle& triangle : core.triangles) turn(triangle);
  append(shell, core, Vec3::Zero());
  const TriMesh mesh = skin(cloud_in(shell, 0.07));
  EXPECT_EQ(examine(mesh).shells, 2u);
  EXPECT_EQ(euler_number(mesh), 4);
  const double whole = 4 * std::numbers::pi / 3 * (0.125 - 0.35 * 0.35 * 0.35);
  EXPECT_NEAR(enclosed_volume(mesh), whole, 0.25 * whole);
}

TEST(PointSkin, sheets_and_threads_one_point_thick_and_lone_points_survive) {
  const double spacing = 0.1;
  TriMesh square = make_box({1.5, 1.5, 0.001});
  SampleSettings settings;
  settings.spacing = spacing;
  const auto samples = sample_on(square, settings);
  ASSERT_TRUE(samples);
  std::vector<Vec3> sheet, thread;
  for (const SurfaceSample& s : *samples) sheet.emplace_back(s.point.x(), s.point.y(), 0);
  for (int i = 0; i < 20; ++i) thread.emplace_back(spacing * i, 0.02 * std::sin(i), 0);
  const TriMesh flat = skin(sheet), line = skin(thread), lone = skin({Vec3(1, 2, 3)}, {.spacing = spacing});
  EXPECT_EQ(euler_number(flat), 2);  // in one piece, without a hole
  EXPECT_NEAR(enclosed_volume(flat), 2.25 * spacing, spacing);
  EXPECT_EQ(euler_number(line), 2);
  EXPECT_EQ(euler_number(lone), 2);
  EXPECT_LT((bounds_of(lone.positions).high - Vec3(1, 2, 3)).maxCoeff(), 0.6 * spacing);
}

TEST(PointSkin, grids_and_two_bodies_apart) {
  const TriMesh box = skin(cloud_in(make_box({0.5, 0.5, 0.5}), 0.05, true, SampleKind::Bcc));
  EXPECT_EQ(euler_number(box), 2);
  EXPECT_NEAR(enclosed_volume(box), 0.125, 0.2 * 0.125);
  std::vector<Vec3> two = cloud_in(make_sphere(0.2), 0.05);
  for (size_t i = 0, count = two.size(); i < count; ++i) two.push_back(two[i] + Vec3(0.8, 0, 0));
  EXPECT_EQ(examine(skin(two)).shells, 2u);
}

TEST(PointSkin, the_number_of_threads_changes_nothing) {
  const std::vector<Vec3> points = cloud_in(make_sphere(0.3), 0.06);
  const TriMesh mesh = skin(points);
  const int threads = thread_count();
  set_thread_count(threads == 1 ? 3 : 1);
  const TriMesh other = skin(points);
  set_thread_count(threads);
  EXPECT_EQ(mesh.positions, other.positions);
  EXPECT_EQ(mesh.triangles, other.triangles);
}

TEST(PointSkin, bad_input_is_refused_with_a_reason) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_refused = [](const std::vector<Vec3>& points, const SkinSettings& settings, const std::string& part) {
    const Result<TriMesh> mesh = skin_of_points(points, settings);
    ASSERT_FALSE(mesh) << part;
    EXPECT_EQ(mesh.error().kind, Error::Kind::Input);
    EXPECT_NE(mesh.error().text.find(part), std::string::npos) << mesh.error().text;
  };
  const std::vector<Vec3> far = {Vec3::Zero(), Vec3(0.001, 0, 0), Vec3(1000, 1000, 1000), Vec3(1000, 1000, 1000.001)};
  expect_refused({}, {}, "no points");
  expect_refused({Vec3::Zero()}, {}, "spacing");
  expect_refused(std::vector<Vec3>(100, Vec3::Zero()), {}, "spacing");
  expect_refused({Vec3::Zero(), Vec3(nan, 0, 0)}, {}, "point 1");
  expect_refused({Vec3::Zero(), Vec3(1e12, 0, 0)}, {}, "point 1");
  expect_refused(far, {}, "use cells");
  expect_refused(far, {.spacing = nan}, "spacing");
  expect_refused(far, {.spacing = -1}, "spacing");
  expect_refused(far, {.offset = 0}, "offset");
  expect_refused(far, {.cell = 1e-9}, "cells");
}

TEST(PointSkin, of_the_authors_bodies) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  struct Case {
    const char* file;
    size_t shells;
    double volume, within;
  };
  for (const Case& c : {Case{"thinBox-bn.txt", 1, 2 * 0.4 * 0.4, 0.15}, Case{"sphericalShell5k.txt", 2, 4 * std::numbers::pi / 3 * (0.125 - 0.064), 0.15}}) {
    const auto points = io::read_particles(*data / "clusters" / c.file);
    ASSERT_TRUE(points) << points.error().text;
    const TriMesh mesh = skin(*points, {.cell = 1});  // coarse, to be quick
    EXPECT_EQ(examine(mesh).shells, c.shells) << c.file;
    EXPECT_NEAR(enclosed_volume(mesh), c.volume, c.within * c.volume) << c.file;
  }
}

}  // namespace
}  // namespace crumple
