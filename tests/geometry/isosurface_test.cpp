#include "crumple/geometry/isosurface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/winding.h"
#include "tests/geometry/closed_checks.h"

namespace crumple {
namespace {

double sphere(const Vec3& p) {
  return p.norm() - 0.5;
}
double torus(const Vec3& p) {
  return std::hypot(std::hypot(p.x(), p.y()) - 0.6, p.z()) - 0.25;
}

IsosurfaceSettings cube_of(double half, double cell, double slope = 1) {
  IsosurfaceSettings settings;
  settings.box = {Vec3::Constant(-half), Vec3::Constant(half)};
  settings.cell = cell, settings.slope = slope;
  return settings;
}
TriMesh surface_of(const Field& field, const IsosurfaceSettings& settings) {
  const Result<TriMesh> mesh = isosurface(field, settings);
  EXPECT_TRUE(mesh) << mesh.error().text;
  return mesh ? *mesh : TriMesh();
}
double volume(const TriMesh& mesh) {
  return signed_volume(mesh.positions, mesh.triangles);
}

/// Trilinear between random corners of a coarse grid as fine as the cells: all cases of a cell come up, and next to each other.
struct Noise {
  uint64_t seed;
  double cell;
  double operator()(const Vec3& p) const {
    const Vec3 at = p / cell + Vec3::Constant(1000.5), floor = at.array().floor(), part = at - floor;
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      uint64_t mixed = seed;
      double weight = 1;
      for (int k = 0; k < 3; ++k) {
        mixed = mixed * 10007 + static_cast<uint64_t>(floor[k]) + (corner >> k & 1);
        weight *= corner >> k & 1 ? part[k] : 1 - part[k];
      }
      sum += weight * Random(mixed).range(-1, 1);
    }
    return sum;
  }
};

TEST(Isosurface, area_and_volume_of_a_sphere_and_a_torus_converge_with_the_square_of_the_cells) {
  struct Case {
    Field field;
    double area, volume;
    int euler;
  };
  for (const Case& c : {Case{sphere, std::numbers::pi, std::numbers::pi / 6, 2}, Case{torus, 4 * std::numbers::pi * std::numbers::pi * 0.6 * 0.25, 2 * std::numbers::pi * std::numbers::pi * 0.6 * 0.0625, 0}}) {
    double area_error[2], volume_error[2];
    for (int fine = 0; fine < 2; ++fine) {
      const TriMesh mesh = surface_of(c.field, cube_of(0.97, fine ? 0.0313 : 0.0626));
      EXPECT_TRUE(is_closed_manifold(mesh));
      EXPECT_EQ(euler_number(mesh), c.euler);
      area_error[fine] = std::abs(area_of(mesh) - c.area) / c.area, volume_error[fine] = std::abs(volume(mesh) - c.volume) / c.volume;
    }
    EXPECT_NEAR(area_error[0] / area_error[1], 4, 0.5);
    EXPECT_NEAR(volume_error[0] / volume_error[1], 4, 0.5);
    EXPECT_LT(volume_error[1], 0.005);
  }
}

TEST(Isosurface, vertices_lie_on_the_surface_and_triangles_are_well_shaped) {
  for (const Field& field : {Field(sphere), Field(torus)}) {
    const TriMesh mesh = surface_of(field, cube_of(1, 0.05));
    for (const Vec3& p : mesh.positions) EXPECT_LT(std::abs(field(p)), 1e-9);
    EXPECT_GT(smallest_angle(mesh), 15);
  }
}

TEST(Isosurface, noise_gives_a_manifold_too) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    IsosurfaceSettings settings = cube_of(0.5, 0.04, 0);
    settings.relax = 2;
    const TriMesh mesh = surface_of(Noise{seed, 0.04}, settings);
    EXPECT_GT(mesh.triangles.size(), 10000u);
    EXPECT_TRUE(is_closed_manifold(mesh)) << seed;
    EXPECT_GT(volume(mesh), 0.2);
  }
}

TEST(Isosurface, what_reaches_beyond_the_box_is_cut_off_flat) {
  const TriMesh mesh = surface_of(sphere, cube_of(0.4, 0.02));
  EXPECT_TRUE(is_closed_manifold(mesh));
  EXPECT_LT(bounds_of(mesh.positions).high.maxCoeff(), 0.4 + 1e-9);
  const double cap = std::numbers::pi * 0.01 * (1.5 - 0.1) / 3;  // of height 0.1, six of them
  EXPECT_NEAR(volume(mesh), std::numbers::pi / 6 - 6 * cap, 0.002);
  const TriMesh full = surface_of([](const Vec3&) { return -1.0; }, cube_of(0.4, 0.02));
  EXPECT_TRUE(is_closed_manifold(full));
  EXPECT_NEAR(volume(full), 0.512, 0.02 * 0.512);  // sharp edges are bevelled
}

TEST(Isosurface, a_hollow_ball_has_two_surfaces) {
  const TriMesh mesh = surface_of([](const Vec3& p) { return std::abs(p.norm() - 0.7) - 0.1; }, cube_of(1, 0.05));
  EXPECT_TRUE(is_closed_manifold(mesh));
  EXPECT_EQ(euler_number(mesh), 4);
  EXPECT_NEAR(volume(mesh), 4 * std::numbers::pi / 3 * (0.512 - 0.216), 0.01);
}

TEST(Isosurface, a_known_slope_and_the_number_of_threads_change_nothing) {
  const TriMesh all = surface_of(torus, cube_of(1, 0.04, 0)), near = surface_of(torus, cube_of(1, 0.04, 1));
  EXPECT_EQ(all.positions, near.positions);
  EXPECT_EQ(all.triangles, near.triangles);
  const int threads = thread_count();
  set_thread_count(threads == 1 ? 3 : 1);
  const TriMesh other = surface_of(torus, cube_of(1, 0.04, 1));
  set_thread_count(threads);
  EXPECT_EQ(other.positions, near.positions);
  EXPECT_EQ(other.triangles, near.triangles);
}

TEST(Isosurface, bad_input_is_refused_with_a_reason) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto expect_refused = [](const Field& field, const IsosurfaceSettings& settings, const std::string& part) {
    const Result<TriMesh> mesh = isosurface(field, settings);
    ASSERT_FALSE(mesh) << part;
    EXPECT_EQ(mesh.error().kind, Error::Kind::Input);
    EXPECT_NE(mesh.error().text.find(part), std::string::npos) << mesh.error().text;
  };
  for (const double cell : {0.0, -1.0, nan, infinity}) expect_refused(sphere, cube_of(1, cell), "cells of");
  for (const double half : {0.0, -1.0, nan, infinity, 1e308}) expect_refused(sphere, cube_of(half, 0.1), "box");
  expect_refused(sphere, cube_of(1, 1e-9), "use cells of");
  expect_refused(sphere, cube_of(1e200, 1e-100), "use cells of");
  expect_refused([](const Vec3&) { return 1.0; }, cube_of(1, 0.1), "nothing in the box");
  expect_refused([&](const Vec3& p) { return p.x() > 0.5 ? nan : -1.0; }, cube_of(1, 0.1), "not a finite number");
}

}  // namespace
}  // namespace crumple
