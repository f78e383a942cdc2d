#include "crumple/geometry/cells.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/convex_polyhedron.h"
#include "tests/geometry/cut_checks.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

ConvexPolyhedron<3> within_box(const ConvexCell& cell, const Bounds& box) {
  ConvexPolyhedron<3> solid = box_polyhedron(box);
  for (size_t s = 0; s < cell.sides.size(); ++s) {
    Linear side;
    side << cell.sides[s].normal, -cell.sides[s].offset;
    solid.clip(side, 0, static_cast<int>(s));
  }
  return solid;
}

/// Area times normal of each side of a cell within the box.
std::vector<Vec3> side_areas(const ConvexCell& cell, const Bounds& box) {
  std::vector<Vec3> areas(cell.sides.size(), Vec3::Zero());
  const ConvexPolyhedron<3> solid = within_box(cell, box);
  for (const auto& face : solid.faces) {
    if (face.tag < 0) continue;
    std::vector<Vec3> loop;
    for (int i = face.begin; i < face.end; ++i) loop.push_back(solid.points[static_cast<size_t>(solid.corners[static_cast<size_t>(i)])]);
    areas[static_cast<size_t>(face.tag)] += loop_area(loop);
  }
  return areas;
}

bool holds(const ConvexCell& cell, const Vec3& x) {
  for (const HalfSpace& side : cell.sides) {
    if (side.normal.dot(x) > side.offset) return false;
  }
  return true;
}

/// Cells fill the box once; every side has an area in it.
void check_cells(const std::vector<ConvexCell>& cells, const Bounds& box, double tolerance = 1e-13) {
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  for (const ConvexCell& cell : cells) {
    const SolidMeasure part = measure(within_box(cell, box));
    volume += part.volume;
    moment += part.volume * part.center;
    if (part.volume < 1e-12) continue;
    for (const Vec3& area : side_areas(cell, box)) EXPECT_GT(area.norm(), 0);
  }
  const double whole = (box.high - box.low).prod();
  EXPECT_NEAR(volume / whole, 1, tolerance);
  EXPECT_LE((moment / whole - 0.5 * (box.low + box.high)).norm(), tolerance * (1 + box.diagonal()));
  Random random(99);
  for (int i = 0; i < 200; ++i) {
    const Vec3 x = random_point(random, box);
    EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [&](const ConvexCell& cell) { return holds(cell, x); }), 1);
  }
}

/// What lies beyond a side has the same side turned round, with the same bits and the same area.
void check_neighbors(const std::vector<ConvexCell>& cells, const Bounds& box) {
  for (size_t c = 0; c < cells.size(); ++c) {
    const std::vector<Vec3> areas = side_areas(cells[c], box);
    for (size_t s = 0; s < areas.size(); ++s) {
      const HalfSpace& side = cells[c].sides[s];
      EXPECT_NEAR(side.normal.norm(), 1, 1e-14);
      ASSERT_GE(side.beyond, 0);
      const ConvexCell& other = cells[static_cast<size_t>(side.beyond)];
      const auto back = std::find_if(other.sides.begin(), other.sides.end(), [&](const HalfSpace& h) { return h.beyond == static_cast<int>(c); });
      ASSERT_NE(back, other.sides.end());
      EXPECT_EQ(back->normal, Vec3(-side.normal));
      EXPECT_EQ(back->offset, -side.offset);
      EXPECT_LE((areas[s] + side_areas(other, box)[static_cast<size_t>(back - other.sides.begin())]).norm(), 1e-13);
    }
  }
}

TEST(Cells, random_planes_divide_the_box_once) {
  for (const int count : {0, 1, 2, 5, 13}) {
    Random random(static_cast<uint64_t>(count) + 1);
    const Bounds box = {Vec3(-1, 0, 2), Vec3(0.5, 1, 2.7)};
    const auto cells = cells_between_planes(random_planes(random, count, box), box);
    check_cells(cells, box);
    check_neighbors(cells, box);
    for (size_t i = 0; i < cells.size(); ++i) EXPECT_EQ(cells[i].label, static_cast<int>(i));
  }
}

TEST(Cells, planes_in_general_position_through_the_middle_make_as_many_cells_as_theory_says) {
  Random random(5);
  std::vector<CutPlane> planes;
  const int n = 10;
  for (int i = 0; i < n; ++i) planes.push_back({any_direction(random), random.range(-1e-5, 1e-5)});
  // All cross within a box much larger than their distances: 1 + n + C(n, 2) + C(n, 3).
  EXPECT_EQ(cells_between_planes(planes, kUnitBox).size(), 1u + 10 + 45 + 120);
}

TEST(Cells, many_planes_take_no_more_than_a_cell_for_each_way_to_cross) {
  Random random(6);
  const int n = 64;
  const auto cells = cells_between_planes(random_planes(random, n, kUnitBox), kUnitBox);
  EXPECT_LE(cells.size(), 1u + n + n * (n - 1) / 2 + n * (n - 1) * (n - 2) / 6);
  double volume = 0;
  for (const ConvexCell& cell : cells) volume += measure(within_box(cell, kUnitBox)).volume;
  EXPECT_NEAR(volume, 1, 1e-12);
}

TEST(Cells, parallel_planes_make_slices_and_doubled_ones_none) {
  const std::vector<CutPlane> planes = {{Vec3::UnitX(), 0.1},         {Vec3::UnitX(), 0.1},
                                        {-Vec3::UnitX(), -0.1},       {2 * Vec3::UnitX(), 0.2},
                                        {Vec3::UnitX(), -0.2},        {Vec3::UnitX(), 0.7},
                                        {Vec3::Zero(), 0.1},          {Vec3::UnitX(), 0.5},
                                        {Vec3::UnitX(), 0.1 + 1e-15}, {Vec3::UnitY(), std::numeric_limits<double>::quiet_NaN()}};
  const auto cells = cells_between_planes(planes, kUnitBox);
  ASSERT_EQ(cells.size(), 3u);
  check_cells(cells, kUnitBox);
  check_neighbors(cells, kUnitBox);
  std::multiset<size_t> sides;
  for (const ConvexCell& cell : cells) sides.insert(cell.sides.size());
  EXPECT_EQ(sides, (std::multiset<size_t>{1, 1, 2}));  // no side towards planes behind the next one
}

TEST(Cells, sides_that_do_not_reach_their_cell_within_the_box_are_left_out) {
  // Two planes that cross outside the box.
  const std::vector<CutPlane> planes = {{Vec3(1, 0.1, 0).normalized(), -0.2}, {Vec3(1, -0.1, 0).normalized(), 0.2}};
  const auto cells = cells_between_planes(planes, kUnitBox);
  ASSERT_EQ(cells.size(), 3u);
  size_t sides = 0;
  for (const ConvexCell& cell : cells) sides += cell.sides.size();
  EXPECT_EQ(sides, 4u);
}

TEST(Cells, voronoi_cells_fill_the_box_and_hold_what_is_nearest) {
  for (const int count : {1, 2, 9, 120}) {
    Random random(static_cast<uint64_t>(count));
    const Bounds box = {Vec3(0, 0, 0), Vec3(2, 0.5, 1)};
    std::vector<Vec3> seeds;
    for (int i = 0; i < count; ++i) seeds.push_back(random_point(random, box));
    const auto cells = voronoi_cells(seeds, box);
    ASSERT_EQ(cells.size(), seeds.size());
    check_cells(cells, box);
    check_neighbors(cells, box);
    for (int i = 0; i < 300; ++i) {
      const Vec3 x = random_point(random, box);
      const auto nearest =
          std::min_element(seeds.begin(), seeds.end(), [&](const Vec3& a, const Vec3& b) { return (a - x).norm() < (b - x).norm(); });
      EXPECT_TRUE(holds(cells[static_cast<size_t>(nearest - seeds.begin())], x));
    }
  }
}

TEST(Cells, voronoi_cells_of_a_cluster_in_a_large_box_fill_it) {
  Random random(17);
  std::vector<Vec3> seeds;
  for (int i = 0; i < 60; ++i) seeds.push_back(Vec3(0.1, 0.1, -0.2) + 0.01 * any_direction(random));
  const auto cells = voronoi_cells(seeds, kUnitBox);
  check_cells(cells, kUnitBox, 1e-11);
}

TEST(Cells, seeds_on_a_lattice_have_cubes) {
  std::vector<Vec3> seeds;
  for (int i = 0; i < 64; ++i) seeds.emplace_back((i % 4 - 1.5) / 4, (i / 4 % 4 - 1.5) / 4, (i / 16 - 1.5) / 4);
  const auto cells = voronoi_cells(seeds, kUnitBox);
  check_cells(cells, kUnitBox);
  check_neighbors(cells, kUnitBox);
  size_t sides = 0;
  for (const ConvexCell& cell : cells) sides += cell.sides.size();
  EXPECT_EQ(sides, 2u * 3 * 3 * 16);
}

TEST(Cells, seeds_in_one_place_share_the_first_ones_cell) {
  const Vec3 a(0.1, 0.2, 0.3), b(-0.3, 0, 0), far(9, 0, 0), nowhere(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  const auto cells = voronoi_cells(std::vector<Vec3>{a, b, a, far, nowhere, b}, kUnitBox);
  ASSERT_EQ(cells.size(), 6u);
  const auto two = voronoi_cells(std::vector<Vec3>{a, b}, kUnitBox);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(cells[i].sides.size(), 1u);
    EXPECT_EQ(cells[i].sides[0].normal, two[i].sides[0].normal);
  }
  for (size_t i = 2; i < 6; ++i) EXPECT_TRUE(within_box(cells[i], kUnitBox).empty());
}

TEST(Cells, voronoi_cells_are_alike_for_any_number_of_threads) {
  Random random(31);
  std::vector<Vec3> seeds;
  for (int i = 0; i < 100; ++i) seeds.push_back(random_point(random, kUnitBox));
  const int threads = thread_count();
  set_thread_count(1);
  const auto one = voronoi_cells(seeds, kUnitBox);
  set_thread_count(3);
  const auto three = voronoi_cells(seeds, kUnitBox);
  set_thread_count(threads);
  for (size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].sides.size(), three[i].sides.size());
    for (size_t s = 0; s < one[i].sides.size(); ++s) EXPECT_EQ(one[i].sides[s].offset, three[i].sides[s].offset);
  }
}

TriMesh moved(TriMesh mesh, const Vec3& by) {
  for (Vec3& x : mesh.positions) x += by;
  return mesh;
}

/// The box's volume that cells of a label have.
double volume_of_label(const std::vector<ConvexCell>& cells, int label, const Bounds& box) {
  double volume = 0;
  for (const ConvexCell& cell : cells) volume += cell.label == label ? measure(within_box(cell, box)).volume : 0;
  return volume;
}

std::string refusal(const std::vector<TriMesh>& shells) {
  const auto cells = cells_of_shells(shells, std::vector<int>(shells.size(), 0), kUnitBox);
  return cells ? "" : cells.error().text;
}

TEST(Cells, shells_get_their_cell_and_the_rest_of_the_box_another_label) {
  const std::vector<TriMesh> shells = {moved(make_box({0.2, 0.3, 0.4}), {-0.2, 0, 0}), moved(make_cylinder(0.1, 0.5), {0.25, 0.1, -0.1})};
  const auto cells = cells_of_shells(shells, std::vector<int>{4, 2}, kUnitBox);
  ASSERT_TRUE(cells) << cells.error().text;
  check_cells(*cells, kUnitBox, 1e-12);
  EXPECT_EQ((*cells)[0].sides.size(), 6u);
  EXPECT_EQ((*cells)[1].sides.size(), 50u);
  EXPECT_NEAR(volume_of_label(*cells, 4, kUnitBox), 0.2 * 0.3 * 0.4, 1e-14);
  const double circle = 0.5 * 48 * std::sin(2 * M_PI / 48) * 0.01;
  EXPECT_NEAR(volume_of_label(*cells, 2, kUnitBox), 0.5 * circle, 1e-12);
  EXPECT_NEAR(volume_of_label(*cells, 5, kUnitBox), 1 - 0.024 - 0.5 * circle, 1e-12);
}

TEST(Cells, shells_that_share_faces_up_to_rounding_leave_nothing_between_them) {
  // Turned, so that no coordinate is exact, and rounded to floats as files do.
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  std::vector<TriMesh> shells;
  for (int i = 0; i < 8; ++i) {
    shells.push_back(moved(make_box({2, 2, 2}), {i % 2 * 2.0 - 1, i / 2 % 2 * 2.0 - 1, i / 4 * 2.0 - 1}));
    for (Vec3& x : shells.back().positions) x = (turn * x).cast<float>().cast<double>();
  }
  const auto cells = cells_of_shells(shells, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}, kUnitBox);
  ASSERT_TRUE(cells) << cells.error().text;
  EXPECT_EQ(cells->size(), 8u);
  check_cells(*cells, kUnitBox);
  for (const ConvexCell& cell : *cells) EXPECT_EQ(cell.sides.size(), 3u);
}

TEST(Cells, a_trifle_of_overlap_is_cut_off_the_later_shell) {
  const std::vector<TriMesh> shells = {moved(make_box({0.3, 0.3, 0.3}), {-0.15, 0, 0}), moved(make_box({0.3, 0.001, 0.001}), {0.15 - 5e-6, 0, 0})};
  const auto cells = cells_of_shells(shells, std::vector<int>{0, 1}, kUnitBox);
  ASSERT_TRUE(cells) << cells.error().text;
  check_cells(*cells, kUnitBox, 1e-12);
  EXPECT_NEAR(volume_of_label(*cells, 1, kUnitBox), (0.3 - 5e-6) * 1e-6, 1e-15);
}

TEST(Cells, a_shell_turned_inside_out_or_with_mixed_faces_is_the_same_cell) {
  TriMesh shell = make_box({0.4, 0.4, 0.4});
  for (size_t t = 0; t < shell.triangles.size(); t += 3) turn(shell.triangles[t]);
  const auto cells = cells_of_shells(std::vector<TriMesh>{shell}, std::vector<int>{0}, kUnitBox);
  ASSERT_TRUE(cells) << cells.error().text;
  check_cells(*cells, kUnitBox);
  EXPECT_NEAR(volume_of_label(*cells, 0, kUnitBox), 0.064, 1e-15);
}

TEST(Cells, bad_shells_are_refused_with_their_number_and_what_was_found) {
  const TriMesh good = moved(make_box({0.2, 0.2, 0.2}), {0.3, 0.3, 0.3});
  TriMesh open = make_box({0.3, 0.3, 0.3});
  open.triangles.pop_back();
  EXPECT_NE(refusal({good, open}).find("shell 2 is open: 3 of its edges"), std::string::npos) << refusal({good, open});
  TriMesh dented = make_sphere(0.3);
  for (Vec3& x : dented.positions) x.y() = std::min(x.y(), 0.1 + x.x() * x.x());
  EXPECT_NE(refusal({dented}).find("shell 1 is not convex"), std::string::npos) << refusal({dented});
  EXPECT_NE(refusal({make_torus(0.2, 0.05)}).find("shell 1 is not convex"), std::string::npos);
  TriMesh two = make_box({0.1, 0.1, 0.1});
  append(two, make_box({0.1, 0.1, 0.1}), {0.2, 0, 0});
  EXPECT_NE(refusal({two}).find("shell 1 is not convex"), std::string::npos);
  EXPECT_NE(refusal({make_box({0.6, 0.6, 0.6}), good}).find("shell 1 and shell 2 overlap by"), std::string::npos);
  const double overlap = 0.1 * 0.2 * 0.2;
  EXPECT_NE(refusal({good, moved(good, {-0.1, 0, 0})}).find(fmt::format("{:.3g} m^3", overlap)), std::string::npos);
  EXPECT_NE(refusal({moved(good, {5, 0, 0})}).find("outside the body"), std::string::npos);
  EXPECT_NE(refusal({TriMesh{}}).find("no triangles"), std::string::npos);
  TriMesh bad = good;
  bad.triangles[0][1] = 1000;
  EXPECT_NE(refusal({bad}).find("names vertex 1000"), std::string::npos);
  bad = good;
  bad.positions[3].x() = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal({bad}).find("no finite place"), std::string::npos);
  bad = good;
  for (Vec3& x : bad.positions) x = Vec3::Zero();
  EXPECT_FALSE(refusal({bad}).empty());
  bad = good;
  for (Vec3& x : bad.positions) x.z() = 0;
  EXPECT_FALSE(refusal({bad}).empty());
  EXPECT_FALSE(cells_of_shells(std::vector<TriMesh>{good}, std::vector<int>{}, kUnitBox));
}

TEST(Cells, a_box_filled_by_its_shells_has_no_rest) {
  const std::vector<TriMesh> shells = {moved(make_box({1, 2, 2}), {-0.5, 0, 0}), moved(make_box({1, 2, 2}), {0.5, 0, 0})};
  const auto cells = cells_of_shells(shells, std::vector<int>{0, 1}, kUnitBox);
  ASSERT_TRUE(cells) << cells.error().text;
  ASSERT_EQ(cells->size(), 2u);
  EXPECT_EQ((*cells)[0].sides.size(), 1u);
}

TEST(ConvexPolyhedron, random_cuts_halve_its_volume_and_keep_it_closed) {
  Random random(3);
  ConvexPolyhedron<3> solid = box_polyhedron(kUnitBox);
  for (int i = 0; i < 40; ++i) {
    const SolidMeasure before = measure(solid);
    const Vec3 normal = any_direction(random);
    Linear side;
    side << normal, -normal.dot(before.center);
    ConvexPolyhedron<3> other = solid;
    ASSERT_TRUE(solid.clip(side, 0, i));
    ASSERT_TRUE(other.clip(-side, 0, i));
    EXPECT_NEAR(measure(solid).volume + measure(other).volume, before.volume, 1e-15);
    Vec3 total = Vec3::Zero();
    for (const auto& face : solid.faces) {
      std::vector<Vec3> loop;
      for (int c = face.begin; c < face.end; ++c) loop.push_back(solid.points[static_cast<size_t>(solid.corners[static_cast<size_t>(c)])]);
      total += loop_area(loop);
    }
    EXPECT_LE(total.norm(), 1e-15);
  }
}

}  // namespace
}  // namespace crumple
