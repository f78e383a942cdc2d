#include "crumple/geometry/sample.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/geometry/bvh.h"
#include "crumple/geometry/winding.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

SampleSettings with_spacing(double spacing, bool hug = true, SampleKind kind = SampleKind::BlueNoise) {
  SampleSettings settings;
  settings.spacing = spacing, settings.hug = hug, settings.kind = kind;
  return settings;
}
std::vector<Vec3> inside(const TriMesh& surface, const SampleSettings& settings) {
  const Result<std::vector<Vec3>> points = sample_inside(surface, settings);
  EXPECT_TRUE(points) << points.error().text;
  return points ? *points : std::vector<Vec3>();
}

/// Distance of each place to the nearest of some points, found by a sweep along x.
std::vector<double> nearest(const std::vector<Vec3>& places, std::vector<Vec3> points, bool others_only) {
  std::sort(points.begin(), points.end(), [](const Vec3& a, const Vec3& b) { return a.x() < b.x(); });
  std::vector<double> found;
  for (const Vec3& place : places) {
    double best = 1e300;
    const auto middle = std::lower_bound(points.begin(), points.end(), place.x(), [](const Vec3& a, double x) { return a.x() < x; });
    const auto look = [&](const Vec3& point) {
      if (!others_only || point != place) best = std::min(best, (point - place).norm());
    };
    for (auto i = middle; i != points.end() && i->x() - place.x() < best; ++i) look(*i);
    for (auto i = middle; i != points.begin() && place.x() - (i - 1)->x() < best; --i) look(*(i - 1));
    found.push_back(best);
  }
  return found;
}
double closest_pair(const std::vector<Vec3>& points) {
  const std::vector<double> distances = nearest(points, points, true);
  return *std::min_element(distances.begin(), distances.end());
}

TEST(Sample, blue_noise_is_inside_keeps_its_distance_and_leaves_no_gaps) {
  const TriMesh torus = make_torus(1, 0.4);
  const double spacing = 0.08;
  for (const bool hug : {true, false}) {
    const std::vector<Vec3> points = inside(torus, with_spacing(spacing, hug));
    EXPECT_GE(closest_pair(points), spacing);
    for (const Vec3& p : points) ASSERT_LE(std::hypot(std::hypot(p.x(), p.y()) - 1, p.z()), 0.404);  // flat faces stand out at the waist
    // Random places of a ring that is thinner by a spacing, so that the surface's facets do not matter.
    Random random(5);
    std::vector<Vec3> places;
    while (places.size() < 2000) {
      const Vec3 p(random.range(-1.4, 1.4), random.range(-1.4, 1.4), random.range(-0.4, 0.4));
      if (std::hypot(std::hypot(p.x(), p.y()) - 1, p.z()) < 0.4 - spacing) places.push_back(p);
    }
    std::vector<double> gaps = nearest(places, points, false);
    std::sort(gaps.begin(), gaps.end());
    EXPECT_LE(gaps[gaps.size() * 98 / 100], spacing);
    EXPECT_LE(gaps.back(), 1.35 * spacing);
  }
}

TEST(Sample, blue_noise_is_as_dense_everywhere) {
  const std::vector<Vec3> points = inside(make_box({2, 0.4, 0.4}), with_spacing(0.03));
  int octants[8] = {};
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) ++octants[(p.x() > 0) + 2 * (p.y() > 0) + 4 * (p.z() > 0)], mean += p / static_cast<double>(points.size());
  for (const int count : octants) EXPECT_NEAR(count, static_cast<double>(points.size()) / 8, 0.03 * static_cast<double>(points.size()) / 8);
  EXPECT_LT(mean.norm(), 0.01);
}

TEST(Sample, hugging_puts_a_layer_on_the_surface) {
  const Vec3 size(2, 0.4, 0.4);
  const double spacing = 0.03, area = 2 * (0.8 + 0.8 + 0.16);
  const auto on_surface = [&](bool hug) {
    int count = 0;
    for (const Vec3& p : inside(make_box(size), with_spacing(spacing, hug))) count += (0.5 * size - p.cwiseAbs()).minCoeff() < 0.01 * spacing;
    return count;
  };
  // Random points that keep their distance on a plane saturate near 0.7 of spacing^-2; finitely many darts get to 0.6.
  EXPECT_NEAR(on_surface(true) * spacing * spacing / area, 0.6, 0.03);
  EXPECT_LT(on_surface(false) * spacing * spacing / area, 0.05);
}

TEST(Sample, spacing_for_tells_how_many_points_there_will_be) {
  for (const double wanted : {2000.0, 20000.0}) {
    const double spacing = spacing_for(wanted, 0.32, 3.52);
    EXPECT_NEAR(static_cast<double>(inside(make_box({2, 0.4, 0.4}), with_spacing(spacing)).size()), wanted, 0.05 * wanted);
  }
}

TEST(Sample, every_part_of_a_body_gets_points_and_inner_walls_get_no_layer) {
  TriMesh apart = make_sphere(0.5), overlapping = make_box({1, 1, 1});
  append(apart, make_sphere(0.5), {3, 0, 0});
  for (const bool hug : {true, false}) {
    const std::vector<Vec3> points = inside(apart, with_spacing(0.1, hug));
    const auto right = std::count_if(points.begin(), points.end(), [](const Vec3& p) { return p.x() > 1.5; });
    EXPECT_NEAR(static_cast<double>(right), 0.5 * static_cast<double>(points.size()), 0.05 * static_cast<double>(points.size()));
  }
  append(overlapping, make_box({1, 1, 1}), {0.5, 0, 0});
  int on_inner_wall = 0;
  for (const Vec3& p : inside(overlapping, with_spacing(0.05))) {
    on_inner_wall += std::abs(p.x() - 0.5) < 1e-3 && std::abs(p.y()) < 0.45 && std::abs(p.z()) < 0.45;
  }
  EXPECT_LE(on_inner_wall, 25);  // by chance 8, with a layer 196
}

TEST(Sample, a_hollow_body_stays_hollow_and_a_small_hole_does_no_harm) {
  TriMesh shell = make_sphere(1), core = make_sphere(0.7);
  for (Triangle& triangle : core.triangles) turn(triangle);
  append(shell, core, Vec3::Zero());
  for (const Vec3& p : inside(shell, with_spacing(0.08))) ASSERT_GE(p.norm(), 0.69);
  TriMesh open = make_sphere(1);
  open.triangles.resize(open.triangles.size() - 4);
  SampleSettings settings = with_spacing(0.15);
  settings.repair = false;
  const std::vector<Vec3> points = inside(open, settings);
  EXPECT_NEAR(static_cast<double>(points.size()), static_cast<double>(inside(make_sphere(1), settings).size()),
              0.05 * static_cast<double>(points.size()));
  for (const Vec3& p : points) ASSERT_LE(p.norm(), 1.0);
}

TEST(Sample, grids_are_grids) {
  const std::vector<Vec3> cubic = inside(make_box({1, 0.5, 0.25}), with_spacing(0.125, true, SampleKind::Grid));
  EXPECT_EQ(cubic.size(), 8u * 4 * 2);
  EXPECT_NEAR(closest_pair(cubic), 0.125, 1e-12);
  for (const Vec3& p : cubic) EXPECT_NEAR(std::remainder(p.x() - 0.0625, 0.125), 0, 1e-12);
  // Every inner point of the body-centred grid has eight neighbours at the spacing.
  const std::vector<Vec3> centred = inside(make_box({1, 1, 1}), with_spacing(0.1, true, SampleKind::Bcc));
  EXPECT_NEAR(closest_pair(centred), 0.1, 1e-12);
  for (const Vec3& p : centred) {
    if (p.cwiseAbs().maxCoeff() > 0.3) continue;
    const auto near = std::count_if(centred.begin(), centred.end(), [&](const Vec3& q) { return std::abs((q - p).norm() - 0.1) < 1e-9; });
    EXPECT_EQ(near, 8);
  }
  // A point for each cell's volume: 4 pi / 3 over spacing^3, and over half of the centred cube.
  const TriMesh ball = make_sphere(1);
  const double volume = signed_volume(ball.positions, ball.triangles);
  EXPECT_NEAR(static_cast<double>(inside(ball, with_spacing(0.06, true, SampleKind::Grid)).size()) * std::pow(0.06, 3), volume, 0.02 * volume);
  EXPECT_NEAR(static_cast<double>(inside(ball, with_spacing(0.06, true, SampleKind::Bcc)).size()) * std::pow(0.06, 3) * 4 / std::pow(3, 1.5), volume,
              0.02 * volume);
}

TEST(Sample, points_on_a_surface_lie_on_it_and_share_its_area) {
  TriMesh bowl = make_sphere(1);
  std::erase_if(bowl.triangles,
                [&](const Triangle& t) { return bowl.positions[t[0]].y() + bowl.positions[t[1]].y() + bowl.positions[t[2]].y() > 0; });
  const Result<std::vector<SurfaceSample>> samples = [&] {
    SampleSettings settings = with_spacing(0.07);
    settings.repair = false;
    return sample_on(bowl, settings);
  }();
  ASSERT_TRUE(samples) << samples.error().text;
  const TriangleTree tree(bowl.positions, bowl.triangles);
  std::vector<Vec3> points;
  double area = 0;
  for (const SurfaceSample& sample : *samples) {
    points.push_back(sample.point), area += sample.area;
    EXPECT_LT(tree.closest(sample.point).distance, 1e-12);
    EXPECT_GT(sample.normal.dot(sample.point), 0.9);
  }
  EXPECT_GE(closest_pair(points), 0.07);
  EXPECT_NEAR(area, 2 * std::numbers::pi, 0.05 * 2 * std::numbers::pi);
  EXPECT_NEAR(static_cast<double>(points.size()) * 0.07 * 0.07 / area, 0.6, 0.03);
}

TEST(Sample, the_seed_decides) {
  const TriMesh lump = make_lump(4);
  SampleSettings settings = with_spacing(0.15);
  const std::vector<Vec3> first = inside(lump, settings), again = inside(lump, settings);
  settings.seed = 2;
  const std::vector<Vec3> other = inside(lump, settings);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_NEAR(static_cast<double>(other.size()), static_cast<double>(first.size()), 0.05 * static_cast<double>(first.size()));
}

TEST(Sample, bad_input_is_refused_with_a_reason) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const TriMesh box = make_box({1, 1, 1});
  const auto expect_refused = [](const TriMesh& surface, const SampleSettings& settings, const std::string& part) {
    const auto points = sample_inside(surface, settings);
    ASSERT_FALSE(points) << part;
    EXPECT_EQ(points.error().kind, Error::Kind::Input);
    EXPECT_NE(points.error().text.find(part), std::string::npos) << points.error().text;
  };
  for (const double spacing : {0.0, -1.0, nan, infinity}) expect_refused(box, with_spacing(spacing), "spacing");
  for (const SampleKind kind : {SampleKind::BlueNoise, SampleKind::Grid, SampleKind::Bcc}) {
    expect_refused(box, with_spacing(1e-9, true, kind), "use a spacing of");
    expect_refused({}, with_spacing(0.1, true, kind), "no usable triangle");
  }
  TriMesh far_apart = make_box({0.1, 0.1, 0.1});
  append(far_apart, make_box({0.1, 0.1, 0.1}), {10, 10, 10});
  expect_refused(far_apart, with_spacing(0.01), "cells");
  TriMesh broken = box;
  broken.positions[3].y() = nan;
  for (const bool mend : {true, false}) {
    SampleSettings settings = with_spacing(0.1);
    settings.repair = mend;
    const auto points = sample_inside(broken, settings);
    for (const Vec3& p : points ? *points : std::vector<Vec3>()) EXPECT_TRUE(p.allFinite());
    EXPECT_TRUE(points || !points.error().text.empty());
  }
  TriMesh out_of_range = box;
  out_of_range.triangles[0][1] = 99;
  SampleSettings as_it_is = with_spacing(0.1);
  as_it_is.repair = false;
  expect_refused(out_of_range, as_it_is, "cannot be sampled");
  expect_refused(make_plane_patch({0, 1, 0}, 0, 1), with_spacing(0.1), "");
  SampleSettings few = with_spacing(0.01);
  few.most_points = 1000;
  expect_refused(box, few, "more than the 1000 allowed");
}

}  // namespace
}  // namespace crumple
