#include <cmath>

#include <gtest/gtest.h>

#include "crumple/geometry/cut_tets.h"
#include "tests/geometry/cut_checks.h"

// Cuts where nothing is in general position: through corners, along faces, nearly along each other.

namespace crumple {
namespace {

TEST(CutTets, planes_through_corners_edges_and_faces_leave_whole_tetrahedra) {
  const TetMesh mesh = unit_cube(2);
  const std::vector<CutPlane> planes = {{Vec3::UnitX(), 0}, {Vec3::UnitY(), 0}, {Vec3(1, 0, -1).normalized(), 0}, {Vec3(1, 1, 1).normalized(), 0}};
  const auto cells = cells_between_planes(planes, kUnitBox);
  const auto fragments = cut_tets(mesh, cells, 1e-9);
  check_partition(mesh, cells, fragments, 1e-9);
  check_patches(mesh, cells, fragments);
  const auto only_axes = cells_between_planes(std::span(planes).first(3), kUnitBox);
  EXPECT_EQ(cut_tets(mesh, only_axes, 1e-9).size(), mesh.tets.size());
}

TEST(CutTets, corners_within_slack_are_on_the_plane_from_both_sides) {
  const TetMesh mesh = unit_cube(2);
  for (const double off : {0.0, 1e-7, -1e-7, 9e-7}) {
    const std::vector<CutPlane> planes = {{Vec3::UnitX(), off}, {Vec3(0.6, 0.8, 0), -off}, {Vec3(0.8, -0.6, 1e-7).normalized(), off}};
    const auto cells = cells_between_planes(planes, kUnitBox);
    const auto fragments = cut_tets(mesh, cells, 1e-6);
    check_partition(mesh, cells, fragments, 1e-6);
    check_patches(mesh, cells, fragments, 1e-10);
  }
}

TEST(CutTets, cells_that_meet_near_corners_fill_however_large_the_slack) {
  // Moving planes onto corners one by one would part cells that meet in a line; seeds at corners make many of those.
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const TetMesh mesh = crooked_cube(2, seed);
    const Bounds box = bounds_of(mesh.positions);
    std::vector<Vec3> seeds;
    for (int i = 0; i < 12; ++i) {
      seeds.push_back(mesh.positions[static_cast<size_t>(random.below(static_cast<int>(mesh.positions.size())))] + 1e-6 * any_direction(random));
      seeds.push_back(random_point(random, box));
    }
    const auto cells = voronoi_cells(seeds, box);
    for (const double slack : {1e-7, 1e-5, 1e-3}) {
      double worst = 0;
      std::vector<double> volumes(mesh.tets.size(), 0.0);
      for (const Fragment& fragment : cut_tets(mesh, cells, slack)) volumes[static_cast<size_t>(fragment.tet)] += fragment.volume;
      for (size_t t = 0; t < volumes.size(); ++t) worst = std::max(worst, std::abs(volumes[t] / tet_volume(mesh.positions, mesh.tets[t]) - 1));
      EXPECT_LE(worst, 1e-13) << "seed " << seed << " slack " << slack;
    }
  }
}

TEST(CutTets, planes_that_graze_the_outside_divide_without_rest) {
  const TetMesh mesh = unit_cube(2);
  for (const double tilt : {1e-8, 1e-7, 1e-6}) {
    Random random(3);
    std::vector<CutPlane> planes = random_planes(random, 4, kUnitBox);
    planes.push_back({Vec3(tilt, -tilt, 1).normalized(), 0.5 - 0.1 * tilt});
    planes.push_back({Vec3(1, tilt, tilt).normalized(), 0.5 + 0.1 * tilt});
    const auto cells = cells_between_planes(planes, kUnitBox);
    std::vector<double> volumes(mesh.tets.size(), 0.0);
    for (const Fragment& fragment : cut_tets(mesh, cells, 1e-7)) volumes[static_cast<size_t>(fragment.tet)] += fragment.volume;
    for (size_t t = 0; t < volumes.size(); ++t) EXPECT_NEAR(volumes[t] / tet_volume(mesh.positions, mesh.tets[t]), 1, 1e-13);
  }
}

TEST(CutTets, planes_that_hardly_differ_divide_without_rest) {
  for (const double tilt : {1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 1e-16}) {
    const TetMesh mesh = crooked_cube(2, 3);
    const Bounds box = bounds_of(mesh.positions);
    std::vector<CutPlane> planes;
    for (int i = 0; i < 6; ++i) planes.push_back({Vec3(1, tilt * std::cos(i), tilt * std::sin(i)).normalized(), 0.05 + tilt * (i % 3)});
    const auto cells = cells_between_planes(planes, box);
    const auto fragments = cut_tets(mesh, cells, 0);
    check_partition(mesh, cells, fragments, 1e-13);
    if (tilt >= 1e-6) check_patches(mesh, cells, fragments, 1e-11);  // below, slices are too thin to count as fragments
  }
}

TEST(CutTets, planes_through_one_line_or_one_point_divide_without_rest) {
  const TetMesh mesh = crooked_cube(3, 8);
  const Bounds box = bounds_of(mesh.positions);
  std::vector<CutPlane> around_line, through_point;
  const Vec3 point(0.03, -0.06, 0.11);
  Random random(4);
  for (int i = 0; i < 9; ++i) {
    const Vec3 normal(std::cos(0.35 * i), std::sin(0.35 * i), 0);
    around_line.push_back({normal, normal.dot(point)});
    const Vec3 any = any_direction(random);
    through_point.push_back({any, any.dot(point)});
  }
  for (const auto& planes : {around_line, through_point}) {
    const auto cells = cells_between_planes(planes, box);
    const auto fragments = cut_tets(mesh, cells, 1e-9);
    check_partition(mesh, cells, fragments, 1e-9);
    check_patches(mesh, cells, fragments);
  }
  EXPECT_EQ(cells_between_planes(around_line, box).size(), 18u);
}

TEST(CutTets, flat_tetrahedra_are_divided_by_share_of_their_volume) {
  TetMesh mesh = unit_cube(2);
  for (Vec3& x : mesh.positions) x.z() *= 1e-9;
  Random random(2);
  const Bounds box = {Vec3(-0.5, -0.5, -0.5e-9), Vec3(0.5, 0.5, 0.5e-9)};
  const auto cells = cells_between_planes(random_planes(random, 6, box), box);
  const auto fragments = cut_tets(mesh, cells, 1e-12);
  std::vector<double> volumes(mesh.tets.size(), 0.0);
  for (const Fragment& fragment : fragments) volumes[static_cast<size_t>(fragment.tet)] += fragment.volume;
  for (size_t t = 0; t < mesh.tets.size(); ++t) EXPECT_NEAR(volumes[t] / tet_volume(mesh.positions, mesh.tets[t]), 1, 1e-13);
}

TEST(CutTets, a_tetrahedron_thinner_than_slack_is_in_exactly_one_place) {
  TetMesh mesh;
  mesh.positions = {{0, 0, 0}, {1e-7, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  for (const double offset : {-1e-8, 0.0, 3e-8, 2e-7}) {
    const auto cells = std::vector<ConvexCell>{{{{Vec3::UnitX(), offset, 1}}, 0}, {{{-Vec3::UnitX(), -offset, 0}}, 1}};
    double sum = 0;
    for (const Fragment& fragment : cut_tets(mesh, cells, 1e-6)) sum += fragment.volume;
    EXPECT_NEAR(sum * 6e7, 1, 1e-14);
  }
}

TEST(CutTets, seeds_on_a_lattice_have_cells_that_meet_in_edges_and_corners_without_rest) {
  const TetMesh mesh = unit_cube(4);
  std::vector<Vec3> seeds;
  for (int i = 0; i < 27; ++i) seeds.emplace_back((i % 3 - 1) / 3.0, (i / 3 % 3 - 1) / 3.0, (i / 9 - 1) / 3.0);
  const auto cells = voronoi_cells(seeds, kUnitBox);
  for (const ConvexCell& cell : cells) EXPECT_LE(cell.sides.size(), 6u);
  const auto fragments = cut_tets(mesh, cells, 1e-9);
  check_partition(mesh, cells, fragments, 1e-9);
  check_patches(mesh, cells, fragments);
  for (int c = 0; c < 27; ++c) EXPECT_NEAR(total_volume(fragments, c), 1.0 / 27, 1e-14);
}

}  // namespace
}  // namespace crumple
