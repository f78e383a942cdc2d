#include "crumple/geometry/cut_tets.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/corner_offset.h"
#include "crumple/geometry/lattice.h"
#include "tests/geometry/cut_checks.h"
#include "tests/geometry/surfaces.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

/// All patches between two cells: within tetrahedra, and between neighbours that share a face along the cut.
Patch patch_between(std::span<const ConvexCell> cells, const std::vector<Fragment>& fragments, int a, int b) {
  Patch sum;
  for (const Fragment& from : fragments) {
    if (from.cell != a || from.cuts.empty()) continue;
    for (const Fragment& to : fragments) {
      if (to.cell == b) sum.add(shared_patch(from, cells[static_cast<size_t>(a)], to, cells[static_cast<size_t>(b)]));
    }
  }
  return sum;
}

TEST(CutTets, random_planes_divide_every_tetrahedron_without_rest) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const TetMesh mesh = crooked_cube(3, seed);
    const Bounds box = bounds_of(mesh.positions);
    const auto cells = cells_between_planes(random_planes(random, 2 + 3 * static_cast<int>(seed), box), box);
    const auto fragments = cut_tets(mesh, cells, 1e-9);
    EXPECT_GT(fragments.size(), mesh.tets.size());
    check_partition(mesh, cells, fragments, 1e-9);
    check_patches(mesh, cells, fragments);
  }
}

TEST(CutTets, voronoi_cells_divide_every_tetrahedron_without_rest) {
  for (const int count : {2, 7, 60}) {
    Random random(static_cast<uint64_t>(count));
    const TetMesh mesh = crooked_cube(3, 5);
    const Bounds box = bounds_of(mesh.positions);
    std::vector<Vec3> seeds;
    for (int i = 0; i < count; ++i) seeds.push_back(random_point(random, box));
    const auto cells = voronoi_cells(seeds, box);
    const auto fragments = cut_tets(mesh, cells, 1e-9);
    check_partition(mesh, cells, fragments, 1e-9);
    check_patches(mesh, cells, fragments);
    // What is in a cell is nearest to its seed.
    for (const Fragment& fragment : fragments) {
      const Vec3 x = TetPlaces(mesh, fragment.tet).place(fragment.center);
      for (const Vec3& seed : seeds) EXPECT_LE((seeds[static_cast<size_t>(fragment.cell)] - x).norm(), (seed - x).norm() + 1e-9);
    }
  }
}

TEST(CutTets, shells_and_what_they_leave_divide_every_tetrahedron_without_rest) {
  const TetMesh mesh = crooked_cube(4, 9);
  const auto block = [](const Vec3& size, const Vec3& center) {
    TriMesh mesh;
    append(mesh, make_box(size), center);
    return mesh;
  };
  std::vector<TriMesh> shells = {block({0.3, 0.4, 0.5}, {0.2, -0.1, 0.1}), block({0.3, 0.3, 0.3}, {-0.1, -0.15, 0.1}), make_cylinder(0.15, 0.3)};
  for (Vec3& x : shells[2].positions) x += Vec3(-0.3, 0.3, 0.3);
  const Bounds box = bounds_of(mesh.positions);
  const auto cells = cells_of_shells(shells, std::vector<int>{0, 1, 2}, box);
  ASSERT_TRUE(cells) << cells.error().text;
  const auto fragments = cut_tets(mesh, *cells, 1e-9);
  check_partition(mesh, *cells, fragments, 1e-9);
  check_patches(mesh, *cells, fragments, 1e-10);
  std::map<int, double> volumes;
  for (const Fragment& fragment : fragments) volumes[(*cells)[static_cast<size_t>(fragment.cell)].label] += fragment.volume;
  EXPECT_NEAR(volumes[0], 0.3 * 0.4 * 0.5, 1e-9);
  EXPECT_NEAR(volumes[1], 0.3 * 0.3 * 0.3, 1e-9);
  EXPECT_NEAR(patch_between(*cells, fragments, 0, 1).area, 0.3 * 0.3, 1e-9);
}

TEST(CutTets, a_plane_through_a_cube_leaves_the_areas_and_moments_of_its_section) {
  for (const int n : {1, 3}) {
    const TetMesh mesh = unit_cube(n);
    const auto cells = cells_between_planes(std::vector<CutPlane>{{Vec3::UnitX(), 0.1}}, kUnitBox);
    ASSERT_EQ(cells.size(), 2u);
    const auto fragments = cut_tets(mesh, cells, 0);
    EXPECT_NEAR(total_volume(fragments, 0), 0.6, 1e-14);
    EXPECT_NEAR(total_volume(fragments, 1), 0.4, 1e-14);
    const Patch patch = patch_between(cells, fragments, 0, 1);
    EXPECT_NEAR(patch.area, 1, 1e-13);
    EXPECT_LE((patch.normal - Vec3::UnitX()).norm(), 1e-13);
    EXPECT_LE((patch.first - Vec3(0.1, 0, 0)).norm(), 1e-13);
    EXPECT_LE((patch.second - Vec3(0.01, 1.0 / 12, 1.0 / 12).asDiagonal().toDenseMatrix()).norm(), 1e-13);
  }
}

TEST(CutTets, a_diagonal_plane_along_faces_of_tetrahedra_parts_them_without_cutting_one) {
  const TetMesh mesh = unit_cube(3);
  const auto cells = cells_between_planes(std::vector<CutPlane>{{Vec3(1, -1, 0).normalized(), 0}}, kUnitBox);
  const auto fragments = cut_tets(mesh, cells, 1e-9);
  EXPECT_EQ(fragments.size(), mesh.tets.size());
  check_partition(mesh, cells, fragments, 1e-9);
  EXPECT_NEAR(total_volume(fragments, 0), 0.5, 1e-14);
  const Patch patch = patch_between(cells, fragments, 0, 1);
  EXPECT_NEAR(patch.area, std::sqrt(2.0), 1e-13);
  EXPECT_LE((patch.normal - std::sqrt(2.0) * cells[0].sides[0].normal).norm(), 1e-13);
  size_t along = 0;
  for (const Fragment& fragment : fragments) {
    for (const FragmentFace& cut : fragment.cuts) {
      EXPECT_GE(cut.tet_face, 0);
      EXPECT_NEAR(loop_area(cut.loop).norm(), fragment.face_areas[static_cast<size_t>(cut.tet_face)], 1e-15);
      ++along;
    }
  }
  EXPECT_EQ(along, 2u * 2 * 3 * 3);  // both sides of two triangles in each of nine squares
}

TEST(CutTets, a_cut_off_corner_has_the_volume_of_its_pyramid) {
  const TetMesh mesh = unit_cube(2);
  const double edge = 0.3;
  const auto cells = cells_between_planes(std::vector<CutPlane>{{Vec3(1, 1, 1).normalized(), (1.5 - edge) / std::sqrt(3.0)}}, kUnitBox);
  const auto fragments = cut_tets(mesh, cells, 0);
  EXPECT_NEAR(total_volume(fragments, 1), edge * edge * edge / 6, 1e-15);
  EXPECT_NEAR(patch_between(cells, fragments, 0, 1).area, edge * edge * std::sqrt(3.0) / 2, 1e-14);
}

TEST(CutTets, whole_means_that_no_corner_touches_a_cut) {
  TetMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  const auto cut_at = [&](const Vec3& normal, double offset) {
    const ConvexCell cell = {{{normal, offset}}, 0};
    return cut_tets(mesh, std::span(&cell, 1), 1e-9);
  };
  EXPECT_TRUE(cut_at(-Vec3::UnitX(), 0.1)[0].whole);
  const auto face = cut_at(-Vec3::UnitX(), 0);  // three corners on the cut
  ASSERT_EQ(face.size(), 1u);
  EXPECT_FALSE(face[0].whole);
  EXPECT_EQ(face[0].volume, 1.0 / 6);
  ASSERT_EQ(face[0].cuts.size(), 1u);
  EXPECT_EQ(face[0].cuts[0].tet_face, 1);
  EXPECT_NEAR(loop_area(face[0].cuts[0].loop).dot(-Vec3::UnitX()), 0.5, 1e-15);
  const std::vector<Vec3> inward = {Vec3::UnitX(), Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX()};
  EXPECT_EQ(face[0].inward, inward);
  const auto edge = cut_at(Vec3(-1, -1, 0).normalized(), 0);
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_FALSE(edge[0].whole);
  EXPECT_EQ(edge[0].corners.size(), 4u);
  EXPECT_TRUE(edge[0].cuts.empty());
  const auto corner = cut_at(Vec3::UnitX(), 1 - 1e-10);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_FALSE(corner[0].whole);
  EXPECT_EQ(corner[0].inward[1], Vec3(-Vec3::UnitX()));
  EXPECT_TRUE(cut_at(Vec3::UnitX(), -1e-10).empty());
}

TEST(CutTets, an_edge_is_cut_in_the_same_place_in_all_tetrahedra_around_it) {
  const TetMesh mesh = crooked_cube(3, 12);
  const Bounds box = bounds_of(mesh.positions);
  Random random(7);
  const auto planes = random_planes(random, 5, box);
  const auto cells = cells_between_planes(planes, box);
  std::map<std::pair<int, int>, std::vector<double>> cuts;  // of each edge: the share of its lower end
  for (const Fragment& fragment : cut_tets(mesh, cells, 1e-9)) {
    const Tetrahedron& tet = mesh.tets[static_cast<size_t>(fragment.tet)];
    for (const auto& corner : fragment.corners) {
      std::map<int, double> shares;
      for (size_t i = 0; i < 4; ++i) {
        if (corner[i] != 0) shares[tet[i]] = corner[i];
      }
      if (shares.size() != 2) continue;
      cuts[{shares.begin()->first, shares.rbegin()->first}].push_back(shares.begin()->second);
    }
  }
  size_t checked = 0;
  for (auto& [edge, shares] : cuts) {
    std::sort(shares.begin(), shares.end());
    shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
    for (size_t i = 1; i < shares.size(); ++i) EXPECT_GT(shares[i] - shares[i - 1], 1e-9);  // planes cut it in different places, not nearly the same
    checked += shares.size();
  }
  EXPECT_GT(checked, 100u);
}

TEST(CutTets, inward_steps_leave_every_cut_of_a_corner_by_their_length) {
  const TetMesh mesh = crooked_cube(3, 6);
  const Bounds box = bounds_of(mesh.positions);
  Random random(11);
  const auto cells = cells_between_planes(random_planes(random, 8, box), box);
  size_t moved = 0, on_three = 0;
  for (const Fragment& fragment : cut_tets(mesh, cells, 1e-9)) {
    const TetPlaces tet(mesh, fragment.tet);
    for (size_t i = 0; i < fragment.corners.size(); ++i) {
      const Vec3 x = tet.place(fragment.corners[i]), y = x + 0.01 * fragment.inward[i];
      int planes = 0;
      for (const HalfSpace& side : cells[static_cast<size_t>(fragment.cell)].sides) {
        if (std::abs(side.normal.dot(x) - side.offset) > 1e-9) continue;
        ++planes;
        if (fragment.inward[i].norm() > kLongestInward * (1 - 1e-12)) continue;  // too sharp to move all the way
        EXPECT_NEAR(side.offset - side.normal.dot(y), 0.01, 1e-8);
      }
      EXPECT_LE(fragment.inward[i].norm(), kLongestInward * (1 + 1e-12));
      EXPECT_EQ(planes == 0, fragment.inward[i].isZero());
      moved += planes > 0, on_three += planes == 3;
    }
  }
  EXPECT_GT(moved, 100u);
  EXPECT_GT(on_three, 10u);
}

TEST(CutTets, a_corner_of_many_cuts_moves_away_from_all_of_them) {
  std::vector<Vec3> normals;
  for (int i = 0; i < 5; ++i) normals.push_back(Vec3(std::cos(1.2 * i), std::sin(1.2 * i), 0.7).normalized());
  for (const size_t count : {4u, 5u}) {
    const Vec3 step = corner_offset(std::span(normals).first(count), 10);
    for (size_t i = 0; i < count; ++i) EXPECT_LE(normals[i].dot(step), -1 + 1e-6);
  }
  for (int i = 5; i < 12; ++i) normals.push_back(Vec3(std::cos(1.3 * i), std::sin(1.3 * i), 0.7).normalized());
  for (const Vec3& normal : normals) EXPECT_LE(normal.dot(corner_offset(normals, 10)), -1 + 1e-6);
  const std::vector<Vec3> sharp = {Vec3(1, 0, 0.01).normalized(), Vec3(-1, 0, 0.01).normalized()};
  EXPECT_NEAR(corner_offset(sharp, 10).z(), -10, 1e-12);
}

TEST(CutTets, sides_towards_the_same_label_are_no_cuts_to_move_away_from) {
  const TetMesh mesh = unit_cube(1);
  auto cells = cells_between_planes(std::vector<CutPlane>{{Vec3::UnitX(), 0.1}, {Vec3::UnitY(), 0.2}}, kUnitBox);
  ASSERT_EQ(cells.size(), 4u);
  const auto on_x = [&](const ConvexCell& cell) { return cell.sides[0].normal.x() > 0 ? 0 : 1; };
  for (ConvexCell& cell : cells) cell.label = on_x(cell);
  for (const Fragment& fragment : cut_tets(mesh, cells, 1e-9)) {
    for (const Vec3& step : fragment.inward) EXPECT_EQ(step.y(), 0);
  }
}

TEST(CutTets, a_plane_beside_the_body_leaves_it_whole) {
  const TetMesh mesh = unit_cube(2);
  const auto cells = cells_between_planes(std::vector<CutPlane>{{Vec3::UnitX(), 2}}, kUnitBox);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_TRUE(cells[0].sides.empty());
  for (const Fragment& fragment : cut_tets(mesh, cells, 1e-9)) EXPECT_TRUE(fragment.whole);
  const std::vector<ConvexCell> both = {{{{Vec3::UnitX(), 2}}, 0}, {{{-Vec3::UnitX(), -2}}, 1}};
  EXPECT_EQ(cut_tets(mesh, both, 1e-9).size(), mesh.tets.size());
}

TEST(CutTets, an_inverted_tetrahedron_is_divided_like_its_mirror_image) {
  TetMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 2, 1, 3}};
  const ConvexCell cell = {{{Vec3::UnitX(), 0.25}}, 0};
  const auto fragments = cut_tets(mesh, std::span(&cell, 1), 0);
  ASSERT_EQ(fragments.size(), 1u);
  EXPECT_NEAR(fragments[0].volume, (1 - std::pow(0.75, 3)) / 6, 1e-15);
  EXPECT_NEAR(loop_area(fragments[0].cuts[0].loop).x(), 0.5 * 0.75 * 0.75, 1e-15);
}

TEST(CutTets, a_stuffed_lump_is_divided_without_rest_and_alike_for_any_number_of_threads) {
  LatticeSettings settings;
  settings.cells = 12;
  LatticeReport report;
  const auto mesh = fill_with_tets(make_lump(3), settings, report);
  ASSERT_TRUE(mesh) << mesh.error().text;
  Random random(21);
  const Bounds box = bounds_of(mesh->positions);
  std::vector<Vec3> seeds;
  for (int i = 0; i < 40; ++i) seeds.push_back(random_point(random, box));
  const int threads = thread_count();
  std::vector<std::vector<Fragment>> runs;
  for (const int count : {1, 3}) {
    set_thread_count(count);
    runs.push_back(cut_tets(*mesh, voronoi_cells(seeds, box), 1e-9));
  }
  set_thread_count(threads);
  check_partition(*mesh, voronoi_cells(seeds, box), runs[0], 1e-9);
  ASSERT_EQ(runs[0].size(), runs[1].size());
  for (size_t i = 0; i < runs[0].size(); ++i) {
    EXPECT_EQ(runs[0][i].volume, runs[1][i].volume);
    EXPECT_EQ(runs[0][i].corners, runs[1][i].corners);
    EXPECT_EQ(runs[0][i].inward, runs[1][i].inward);
  }
}

TEST(CutTets, patches_integrate_triangles_exactly) {
  Patch patch;
  patch.add_triangle({0, 0, 2}, {3, 0, 2}, {0, 2, 2});
  EXPECT_DOUBLE_EQ(patch.area, 3);
  EXPECT_LE((patch.first - 3 * Vec3(1, 2.0 / 3, 2)).norm(), 1e-14);
  EXPECT_LE((patch.normal - Vec3(0, 0, 3)).norm(), 1e-14);
  EXPECT_NEAR(patch.second(0, 0), 27.0 * 2 / 12, 1e-14);  // b^3 h / 12
  EXPECT_NEAR(patch.second(1, 1), 8.0 * 3 / 12, 1e-14);   // b h^3 / 12
  EXPECT_NEAR(patch.second(0, 1), 9.0 * 4 / 24, 1e-14);   // b^2 h^2 / 24
  EXPECT_NEAR(patch.second(2, 2), 12, 1e-14);
  Patch twice = patch;
  twice.add(patch);
  EXPECT_DOUBLE_EQ(twice.area, 6);
}

}  // namespace
}  // namespace crumple
