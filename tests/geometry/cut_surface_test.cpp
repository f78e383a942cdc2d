#include "crumple/geometry/cut_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

ConvexCell cell_of(std::vector<HalfSpace> sides) {
  return {std::move(sides), 0};
}

HalfSpace side(const Vec3& normal, double offset) {
  return {normal.normalized(), offset, -1};
}

HalfSpace other_side(const HalfSpace& half) {
  return {-half.normal, -half.offset, -1};
}

/// All sides of all planes in all combinations: 2^planes cells that fill space.
std::vector<ConvexCell> cells_of(const std::vector<HalfSpace>& planes) {
  std::vector<ConvexCell> cells;
  for (size_t mask = 0; mask < (size_t{1} << planes.size()); ++mask) {
    ConvexCell cell;
    for (size_t p = 0; p < planes.size(); ++p) cell.sides.push_back(mask >> p & 1 ? other_side(planes[p]) : planes[p]);
    cells.push_back(cell);
  }
  return cells;
}

/// Voronoi cells with a side for every other seed.
std::vector<ConvexCell> cells_around(const std::vector<Vec3>& seeds) {
  std::vector<ConvexCell> cells;
  for (const Vec3& seed : seeds) {
    ConvexCell cell;
    for (const Vec3& other : seeds) {
      if (&other == &seed) continue;
      const Vec3 normal = (other - seed).normalized();
      cell.sides.push_back({normal, normal.dot(0.5 * (seed + other)), -1});
    }
    cells.push_back(cell);
  }
  return cells;
}

double volume_of(const TriMesh& mesh) {
  const TriMesh* parts[] = {&mesh};
  return measure_closed(parts).volume;
}

double cap_area(const SurfaceCut& cut, int wanted_side = -1) {
  double area = 0;
  for (size_t t = 0; t < cut.caps.triangles.size(); ++t) {
    if (wanted_side >= 0 && cut.cap_side[t] != wanted_side) continue;
    const auto& [a, b, c] = cut.caps.triangles[t];
    const std::vector<Vec3>& p = cut.caps.positions;
    area += 0.5 * (p[static_cast<size_t>(b)] - p[static_cast<size_t>(a)]).cross(p[static_cast<size_t>(c)] - p[static_cast<size_t>(a)]).norm();
  }
  return area;
}

/// What holds of every cut of a closed surface.
void expect_sound(const SurfaceCut& cut, const ConvexCell& cell, double size) {
  EXPECT_TRUE(cut.closed);
  EXPECT_LT(cut.gap, 1e-12 * size * size);
  ASSERT_EQ(cut.cap_side.size(), cut.caps.triangles.size());
  ASSERT_EQ(cut.caps.uvs.size(), cut.caps.positions.size());
  ASSERT_EQ(cut.source.size(), cut.skin.positions.size());
  EXPECT_TRUE(cut.caps.colors.empty());
  for (const TriMesh* part : {&cut.skin, &cut.caps}) {
    for (const Vec3& p : part->positions) {
      for (const HalfSpace& half : cell.sides) ASSERT_LE(half.normal.dot(p) - half.offset, 2e-12 * size);
    }
  }
  for (size_t t = 0; t < cut.caps.triangles.size(); ++t) {
    const HalfSpace& half = cell.sides[static_cast<size_t>(cut.cap_side[t])];
    Vec3 corners[3];
    Vec2f uvs[3];
    for (size_t k = 0; k < 3; ++k) {
      corners[k] = cut.caps.positions[static_cast<size_t>(cut.caps.triangles[t][k])];
      uvs[k] = cut.caps.uvs[static_cast<size_t>(cut.caps.triangles[t][k])];
      ASSERT_NEAR(half.normal.dot(corners[k]), half.offset, 2e-12 * size);
    }
    EXPECT_GE((corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(half.normal), -1e-12 * size * size);
    // Texture coordinates are metres: lengths are kept.
    EXPECT_NEAR((uvs[1] - uvs[0]).norm(), (corners[1] - corners[0]).norm(), 1e-5 * size);
    EXPECT_NEAR((uvs[2] - uvs[1]).norm(), (corners[2] - corners[1]).norm(), 1e-5 * size);
  }
}

/// Cuts by all cells and compares the sum of what comes out to the whole; returns the volumes.
std::vector<double> expect_partition(const TriMesh& mesh, const std::vector<ConvexCell>& cells, double edge = 0) {
  const double size = std::max(bounds_of(mesh.positions).diagonal(), 1e-300);
  std::vector<double> volumes;
  double sum = 0;
  for (const ConvexCell& cell : cells) {
    const SurfaceCut cut = cut_surface(mesh, cell, edge);
    expect_sound(cut, cell, size);
    sum += cut.volume;
    volumes.push_back(cut.volume);
  }
  const double whole = volume_of(mesh);
  EXPECT_NEAR(sum, whole, 1e-12 * std::abs(whole));
  return volumes;
}

std::vector<HalfSpace> random_planes(Random& random, int count, double reach) {
  std::vector<HalfSpace> planes;
  for (int i = 0; i < count; ++i) {
    planes.push_back(side(Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)), random.range(-reach, reach)));
  }
  return planes;
}

/// Boxes, one in the other, the inner one facing inwards.
TriMesh hollow_box(const Vec3& outer, const Vec3& inner) {
  TriMesh mesh = make_box(outer), hole = make_box(inner);
  for (Triangle& t : hole.triangles) turn(t);
  append(mesh, hole, Vec3::Zero());
  return mesh;
}

/// A pipe along z with closed ends of ring shape.
TriMesh make_pipe(double outer, double inner, double length, int around) {
  TriMesh mesh;
  for (const double z : {-0.5 * length, 0.5 * length}) {
    for (const double radius : {outer, inner}) {
      for (int i = 0; i < around; ++i) {
        const double angle = 2 * std::numbers::pi * i / around;
        mesh.positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
      }
    }
  }
  const auto quad = [&](int ring_a, int ring_b) {
    for (int i = 0; i < around; ++i) {
      const int a = ring_a * around + i, b = ring_a * around + (i + 1) % around, c = ring_b * around + (i + 1) % around, d = ring_b * around + i;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  };
  quad(0, 2), quad(3, 1), quad(2, 3), quad(1, 0);
  return mesh;
}

}  // namespace

TEST(CutSurface, halves_a_cube) {
  const TriMesh cube = make_box(Vec3::Ones());
  const ConvexCell cell = cell_of({side(Vec3::UnitY(), 0.125)});
  const SurfaceCut cut = cut_surface(cube, cell, 0);
  expect_sound(cut, cell, 1);
  EXPECT_NEAR(cut.volume, 0.625, 1e-15);
  EXPECT_NEAR(cap_area(cut), 1, 1e-15);
  EXPECT_EQ(cut.caps.triangles.size(), 6u);  // the corners and where the diagonals of four faces are cut
  expect_partition(cube, cells_of(cell.sides));
}

TEST(CutSurface, gives_the_whole_to_a_cell_without_sides_and_nothing_to_one_elsewhere) {
  const TriMesh cube = make_box(Vec3::Ones());
  const SurfaceCut whole = cut_surface(cube, {}, 0.1);
  EXPECT_EQ(whole.skin.triangles, cube.triangles);
  EXPECT_TRUE(whole.caps.triangles.empty());
  EXPECT_NEAR(whole.volume, 1, 1e-15);
  const SurfaceCut none = cut_surface(cube, cell_of({side(Vec3::UnitX(), -2)}), 0.1);
  EXPECT_TRUE(none.skin.triangles.empty() && none.caps.triangles.empty());
  EXPECT_TRUE(none.closed);
  EXPECT_EQ(none.volume, 0);
}

TEST(CutSurface, cuts_a_cube_by_three_planes) {
  const std::vector<HalfSpace> planes = {side(Vec3::UnitX(), 0.1), side(Vec3::UnitY(), -0.2), side(Vec3::UnitZ(), 0.3)};
  const std::vector<double> volumes = expect_partition(make_box(Vec3::Ones()), cells_of(planes));
  EXPECT_NEAR(volumes[0], 0.6 * 0.3 * 0.8, 1e-15);
  EXPECT_NEAR(volumes[7], 0.4 * 0.7 * 0.2, 1e-15);
  const SurfaceCut corner = cut_surface(make_box(Vec3::Ones()), cell_of(planes), 0);
  EXPECT_NEAR(cap_area(corner, 0), 0.3 * 0.8, 1e-15);
  EXPECT_NEAR(cap_area(corner, 1), 0.6 * 0.8, 1e-15);
  EXPECT_NEAR(cap_area(corner, 2), 0.6 * 0.3, 1e-15);
  for (const auto& p : corner.caps.positions) EXPECT_TRUE(p.allFinite());
}

TEST(CutSurface, cuts_a_cube_along_its_diagonals) {
  const TriMesh cube = make_box(Vec3::Ones());
  // Through four corners and two edges; through three corners; a hexagon.
  const double corner = 0.5 / std::sqrt(3.0);
  const std::vector<double> halves = expect_partition(cube, cells_of({side({1, 1, 0}, 0)}));
  EXPECT_NEAR(halves[0], 0.5, 1e-15);
  const std::vector<double> tip = expect_partition(cube, cells_of({side({1, 1, 1}, -corner)}));
  EXPECT_NEAR(tip[0], 1.0 / 6, 1e-15);
  const ConvexCell hexagon = cell_of({side({1, 1, 1}, 0)});
  EXPECT_NEAR(cap_area(cut_surface(cube, hexagon, 0)), 0.75 * std::sqrt(3.0), 1e-15);
  expect_partition(cube, cells_of({side({1, 1, 0}, 0), side({1, -1, 0}, 0), side({1, 0, 1}, 0), side({0, 1, -1}, 0)}));
}

TEST(CutSurface, carries_texture_and_colour_along) {
  TriMesh cube = make_box(Vec3(2, 2, 2));
  for (const Vec3& p : cube.positions) {
    cube.uvs.push_back(Vec2f(static_cast<float>(3 * p.x() - p.y()), static_cast<float>(p.z())));
    cube.colors.push_back((0.5 * (p + Vec3::Ones())).cast<float>());
  }
  const ConvexCell cell = cell_of({side({1, 2, 0.5}, 0.2), side({-1, 0.3, 0.1}, 0.4)});
  const SurfaceCut cut = cut_surface(cube, cell, 0.3);
  ASSERT_EQ(cut.skin.uvs.size(), cut.skin.positions.size());
  ASSERT_EQ(cut.skin.colors.size(), cut.skin.positions.size());
  int made = 0;
  for (size_t v = 0; v < cut.source.size(); ++v) {
    const Vec3& p = cut.skin.positions[v];
    EXPECT_NEAR(cut.skin.uvs[v].x(), 3 * p.x() - p.y(), 1e-5);
    EXPECT_NEAR(cut.skin.uvs[v].y(), p.z(), 1e-5);
    EXPECT_LT((cut.skin.colors[v].cast<double>() - 0.5 * (p + Vec3::Ones())).norm(), 1e-5);
    if (cut.source[v] >= 0) {
      EXPECT_EQ(p, cube.positions[static_cast<size_t>(cut.source[v])]);
    } else {
      ++made;
    }
  }
  EXPECT_GT(made, 10);
}

TEST(CutSurface, passes_exactly_through_vertices_edges_and_faces) {
  const TriMesh cube = make_box(Vec3::Ones());
  // In the plane of a face nothing is cut off: the face itself is drawn, no cap.
  const SurfaceCut whole = cut_surface(cube, cell_of({side(Vec3::UnitX(), 0.5)}), 0);
  EXPECT_EQ(whole.skin.triangles.size(), cube.triangles.size());
  EXPECT_TRUE(whole.caps.triangles.empty());
  const SurfaceCut none = cut_surface(cube, cell_of({side(-Vec3::UnitX(), -0.5)}), 0);
  EXPECT_TRUE(none.skin.triangles.empty() && none.caps.triangles.empty());
  // A step: the plane holds its ledge and cuts through its upper part.
  TriMesh step = make_pipe(1, 0.5, 1, 4);
  for (Vec3& p : step.positions) p.z() = p.z() > 0 && p.head<2>().norm() < 0.9 ? 1.0 : p.z();
  expect_partition(step, cells_of({side(Vec3::UnitZ(), 0.5)}));
  // Every plane through three vertices of a lattice of boxes holds many vertices, edges and faces.
  TriMesh torus = make_torus(1, 0.4, 8, 4);
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const auto pick = [&] { return torus.positions[static_cast<size_t>(random.below(static_cast<int>(torus.positions.size())))]; };
    const Vec3 a = pick(), b = pick(), c = pick();
    const Vec3 normal = (b - a).cross(c - a);
    if (normal.norm() < 1e-3) continue;
    expect_partition(torus, cells_of({side(normal, normal.normalized().dot(a))}));
  }
}

TEST(CutSurface, draws_a_ledge_once) {
  // An L of two boxes grown together: the plane of the ledge cuts the upright, and the ledge stays skin of the lower part.
  TriMesh shape;
  const auto column = [](double x, double z) { return std::vector<Vec3>{{x, 0, z}, {x, 1, z}, {x, 2, z}}; };
  for (const double x : {0.0, 1.0, 2.0}) {
    for (const double z : {0.0, 1.0}) {
      for (const Vec3& p : column(x, z)) shape.positions.push_back(p);
    }
  }
  const auto at = [](int x, int y, int z) { return (x * 2 + z) * 3 + y; };
  const auto quad = [&](int a, int b, int c, int d) {
    shape.triangles.push_back({a, b, c});
    shape.triangles.push_back({a, c, d});
  };
  for (int x = 0; x < 2; ++x) {
    const int top = x == 0 ? 2 : 1;
    quad(at(x, 0, 0), at(x + 1, 0, 0), at(x + 1, 0, 1), at(x, 0, 1));          // below
    quad(at(x, top, 0), at(x, top, 1), at(x + 1, top, 1), at(x + 1, top, 0));  // above
    for (int y = 0; y < top; ++y) {
      quad(at(x, y, 1), at(x + 1, y, 1), at(x + 1, y + 1, 1), at(x, y + 1, 1));
      quad(at(x, y, 0), at(x, y + 1, 0), at(x + 1, y + 1, 0), at(x + 1, y, 0));
    }
  }
  for (int y = 0; y < 2; ++y) {
    quad(at(0, y, 0), at(0, y, 1), at(0, y + 1, 1), at(0, y + 1, 0));
    const int x = y == 0 ? 2 : 1;
    quad(at(x, y, 0), at(x, y + 1, 0), at(x, y + 1, 1), at(x, y, 1));
  }
  ASSERT_NEAR(volume_of(shape), 3, 1e-14);
  const std::vector<HalfSpace> plane = {side(Vec3::UnitY(), 1)};
  const SurfaceCut below = cut_surface(shape, cell_of(plane), 0), above = cut_surface(shape, cell_of({other_side(plane[0])}), 0);
  EXPECT_NEAR(below.volume, 2, 1e-15);
  EXPECT_NEAR(above.volume, 1, 1e-15);
  EXPECT_NEAR(cap_area(below), 1, 1e-15);
  EXPECT_NEAR(cap_area(above), 1, 1e-15);
  EXPECT_TRUE(below.closed && above.closed);
  // Turned about, the ledge hangs over.
  for (Vec3& p : shape.positions) p = Vec3(p.x(), -p.y(), -p.z());
  expect_partition(shape, cells_of({side(Vec3::UnitY(), -1)}));
}

TEST(CutSurface, passes_almost_through_vertices_and_faces) {
  const TriMesh cube = make_box(Vec3::Ones()), torus = make_torus(1, 0.4, 12, 8);
  for (const double off : {1e-9, 1e-11, 1e-12, 3e-13, 1e-15, 1e-16, -1e-13, -1e-10}) {
    for (const double tilt : {0.0, 1e-9, 1e-12, 1e-14}) {
      expect_partition(cube, cells_of({side({1, tilt, 0.5 * tilt}, 0.5 + off), side({1, 0, tilt}, 0.5)}));
      expect_partition(cube, cells_of({side({1, 1 + tilt, 0}, off), side({1, 1, tilt}, 0)}));
      expect_partition(torus, cells_of({side({tilt, 0.3 * tilt, 1}, off), side({0, 1, 0}, off)}));
    }
  }
}

TEST(CutSurface, cuts_a_torus_into_rings_and_arches) {
  const TriMesh torus = make_torus(1, 0.25, 96, 48);
  // Flat through the middle: one cap with a hole. Across: two discs.
  const SurfaceCut flat = cut_surface(torus, cell_of({side(Vec3::UnitZ(), 0)}), 0);
  const auto polygon_area = [](double radius, int corners) { return 0.5 * corners * radius * radius * std::sin(2 * std::numbers::pi / corners); };
  EXPECT_NEAR(cap_area(flat), polygon_area(1.25, 96) - polygon_area(0.75, 96), 1e-12);
  const SurfaceCut across = cut_surface(torus, cell_of({side(Vec3::UnitX(), 0)}), 0);
  EXPECT_NEAR(cap_area(across), 2 * polygon_area(0.25, 48), 1e-12);
  expect_partition(torus, cells_of({side(Vec3::UnitZ(), 0.1), side(Vec3::UnitX(), 0), side({1, 2, 3}, 0.1)}), 0.1);
  Random random(3);
  for (int round = 0; round < 10; ++round) expect_partition(torus, cells_of(random_planes(random, 3, 0.8)));
}

TEST(CutSurface, caps_what_is_hollow_around_the_hollow) {
  const TriMesh pipe = make_pipe(1, 0.8, 3, 40), box = hollow_box(Vec3(3, 2, 2), Vec3(2, 1, 1));
  const SurfaceCut ring = cut_surface(pipe, cell_of({side(Vec3::UnitZ(), 0.2)}), 0);
  EXPECT_NEAR(cap_area(ring), 20 * std::sin(std::numbers::pi / 20) * (1 - 0.64), 1e-12);
  const SurfaceCut frame = cut_surface(box, cell_of({side(Vec3::UnitX(), 0.3)}), 0);
  EXPECT_NEAR(cap_area(frame), 4 - 1, 1e-14);
  EXPECT_NEAR(frame.volume, 1.8 * 4 - 1.3, 1e-14);
  Random random(9);
  for (int round = 0; round < 12; ++round) {
    expect_partition(pipe, cells_of(random_planes(random, 3, 0.9)), round % 2 ? 0.2 : 0);
    expect_partition(box, cells_of(random_planes(random, 3, 0.9)), round % 2 ? 0.3 : 0);
  }
}

TEST(CutSurface, caps_shells_that_overlap_one_by_one) {
  TriMesh beams = make_box(Vec3(4, 0.5, 0.5));
  append(beams, make_box(Vec3(0.5, 4, 0.4)), Vec3(0.3, 0, 0));
  append(beams, hollow_box(Vec3(1, 1, 1), Vec3(0.6, 0.6, 0.6)), Vec3(0.1, 0.1, 0));
  const double whole = 1.0 + 0.8 + 1 - 0.216;
  EXPECT_NEAR(volume_of(beams), whole, 1e-14);
  const SurfaceCut cut = cut_surface(beams, cell_of({side(Vec3::UnitZ(), 0)}), 0);
  EXPECT_NEAR(cut.volume, 0.5 * whole, 1e-14);
  EXPECT_NEAR(cap_area(cut), 4 * 0.5 + 0.5 * 4 + 1 - 0.36, 1e-12);
  Random random(21);
  for (int round = 0; round < 12; ++round) expect_partition(beams, cells_of(random_planes(random, 3, 0.5)), round % 2 ? 0.2 : 0);
}

TEST(CutSurface, cuts_boxes_that_share_an_edge_or_a_corner) {
  TriMesh pair = make_box(Vec3::Ones());
  append(pair, make_box(Vec3::Ones()), Vec3(1, 1, 0));
  append(pair, make_box(Vec3::Ones()), Vec3(-1, -1, -1));
  Random random(6);
  for (int round = 0; round < 20; ++round) expect_partition(pair, cells_of(random_planes(random, 2, 0.7)));
  expect_partition(pair, cells_of({side({1, -1, 0}, 0), side(Vec3::UnitZ(), 0.1)}), 0.3);
}

TEST(CutSurface, fills_a_sphere_with_voronoi_cells) {
  Random random(17);
  for (int round = 0; round < 4; ++round) {
    std::vector<Vec3> seeds;
    for (int i = 0; i < 14; ++i) seeds.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
    const std::vector<double> volumes =
        expect_partition(round < 2 ? make_sphere(1) : make_lump(static_cast<uint64_t>(round)), cells_around(seeds), round % 2 ? 0.1 : 0);
    for (const double volume : volumes) EXPECT_GE(volume, -1e-15);
  }
  // Seeds on a lattice: many planes meet in every edge and corner of the cells.
  std::vector<Vec3> lattice;
  for (int i = 0; i < 27; ++i) lattice.emplace_back(0.6 * (i % 3 - 1), 0.6 * (i / 3 % 3 - 1), 0.6 * (i / 9 - 1));
  const std::vector<double> volumes = expect_partition(make_box(Vec3(1.8, 1.8, 1.8)), cells_around(lattice));
  for (const double volume : volumes) EXPECT_NEAR(volume, 0.216, 1e-14);
}

TEST(CutSurface, gives_neighbours_the_same_rim) {
  const TriMesh lump = make_lump(7);
  const HalfSpace half = side({0.3, 1, -0.2}, 0.05);
  const SurfaceCut below = cut_surface(lump, cell_of({half}), 0.2), above = cut_surface(lump, cell_of({other_side(half)}), 0.2);
  const auto rim_of = [](const SurfaceCut& cut) {
    std::map<std::array<double, 3>, int> count;
    for (const TriMesh* part : {&cut.skin, &cut.caps}) {
      std::map<std::array<double, 3>, int> own;
      for (const Vec3& p : part->positions) own[{p.x(), p.y(), p.z()}] = 1;
      for (const auto& [place, one] : own) count[place] += one;
    }
    std::vector<std::array<double, 3>> both;
    for (const auto& [place, parts] : count) {
      if (parts == 2) both.push_back(place);
    }
    return both;
  };
  EXPECT_GT(rim_of(below).size(), 40u);
  EXPECT_EQ(rim_of(below), rim_of(above));  // to the bit
}

TEST(CutSurface, gives_neighbours_the_same_corners_in_any_order_of_sides) {
  const TriMesh lump = make_lump(3);
  const HalfSpace p = side({0.3, 1, -0.2}, 0.05), q = side({1, 0.1, 0.4}, 0.1), r = side({-0.2, 0.3, 1}, 0.3), s = side({-1, 0.2, 0.2}, 0.5);
  const SurfaceCut below = cut_surface(lump, cell_of({p, q, r, s}), 0), above = cut_surface(lump, cell_of({s, r, other_side(p), q}), 0);
  const auto corners_on = [](const SurfaceCut& cut, int wanted) {
    std::set<int> used;
    for (size_t t = 0; t < cut.caps.triangles.size(); ++t) {
      if (cut.cap_side[t] == wanted) used.insert(cut.caps.triangles[t].begin(), cut.caps.triangles[t].end());
    }
    std::vector<Vec3> corners;
    for (const int v : used) corners.push_back(cut.caps.positions[static_cast<size_t>(v)]);
    return corners;
  };
  const std::vector<Vec3> mine = corners_on(below, 0), theirs = corners_on(above, 2);
  EXPECT_GT(mine.size(), 15u);
  EXPECT_EQ(mine.size(), theirs.size());
  for (const Vec3& a : mine) {
    double nearest = 1;
    for (const Vec3& b : theirs) nearest = std::min(nearest, (a - b).norm());
    EXPECT_LT(nearest, 1e-14);
  }
}

TEST(CutSurface, cuts_sheets_without_thickness) {
  // A sheet drawn from both sides, each side with triangles of its own: it encloses nothing, before and after.
  TriMesh sheet;
  for (const double height : {0.0, 0.2}) {
    const int base = static_cast<int>(sheet.positions.size());
    sheet.positions.insert(sheet.positions.end(), {{-1, -1, height}, {1, -1, height}, {1, 1, height}, {-1, 1, height}, {0.2, 0.1, height}});
    sheet.triangles.insert(sheet.triangles.end(), {{base, base + 1, base + 2}, {base, base + 2, base + 3}});
    for (int k = 0; k < 4; ++k) sheet.triangles.push_back({base + (k + 1) % 4, base + k, base + 4});
  }
  Random random(41);
  for (int round = 0; round < 10; ++round) {
    for (const ConvexCell& cell : cells_of(random_planes(random, 3, 0.5))) {
      const SurfaceCut cut = cut_surface(sheet, cell, round % 2 ? 0.1 : 0);
      EXPECT_TRUE(cut.closed);
      EXPECT_NEAR(cut.volume, 0, 1e-14);
      EXPECT_LT(cap_area(cut), 1e-13);
    }
  }
}

TEST(CutSurface, divides_caps_and_what_they_touch) {
  const TriMesh cube = make_box(Vec3::Ones());
  const ConvexCell cell = cell_of({side({1, 1, 0.2}, 0.1), side({-1, 0.5, 0.3}, 0.2)});
  for (const double edge : {0.5, 0.2, 0.06}) {
    const SurfaceCut cut = cut_surface(cube, cell, edge);
    expect_sound(cut, cell, 1);
    EXPECT_NEAR(cut.volume, cut_surface(cube, cell, 0).volume, 1e-14);
    for (const Triangle& t : cut.caps.triangles) {
      for (size_t k = 0; k < 3; ++k) {
        const Vec3 &a = cut.caps.positions[static_cast<size_t>(t[k])], &b = cut.caps.positions[static_cast<size_t>(t[(k + 1) % 3])];
        EXPECT_LE((a - b).norm(), edge * (1 + 1e-12));
      }
    }
  }
  const SurfaceCut fine = cut_surface(cube, cell, 1e-9);  // more than there is memory for: it does what it can
  EXPECT_TRUE(fine.closed);
  EXPECT_LT(fine.caps.triangles.size(), 500000u);
}

TEST(CutSurface, does_what_it_can_with_an_open_surface) {
  TriMesh open = make_box(Vec3::Ones());
  open.triangles.resize(open.triangles.size() - 2);  // without the face z = 0.5
  const SurfaceCut cut = cut_surface(open, cell_of({side(Vec3::UnitX(), 0)}), 0);
  EXPECT_FALSE(cut.closed);
  EXPECT_NEAR(cut.gap, 0.5, 1e-12);  // what is missing of the face
  EXPECT_NEAR(cap_area(cut), 1, 1e-12);
  TriMesh cracked = make_sphere(1);
  for (size_t v = 0; v < cracked.positions.size(); ++v) cracked.positions[v] += 1e-7 * Vec3(v % 7 / 7.0, v % 5 / 5.0, v % 3 / 3.0);
  const SurfaceCut half = cut_surface(cracked, cell_of({side({0.2, 0.1, 1}, 0.1)}), 0);
  EXPECT_NEAR(cap_area(half), std::numbers::pi * 0.99, 0.03);  // a crack does not cost the cap
}

TEST(CutSurface, survives_nonsense) {
  const ConvexCell cell = cell_of({side({1, 0.3, 0.2}, 0), side({-0.2, 1, 0.1}, 0.1)});
  EXPECT_TRUE(cut_surface({}, cell, 0.1).skin.triangles.empty());
  TriMesh bad = make_box(Vec3::Ones());
  bad.positions[3].x() = std::numeric_limits<double>::quiet_NaN();
  bad.triangles.push_back({0, 1, 99});
  bad.triangles.push_back({-1, 1, 2});
  bad.triangles.push_back({4, 4, 4});
  EXPECT_FALSE(cut_surface(bad, cell, 0.1).closed);
  Random random(31);
  TriMesh soup;
  for (int i = 0; i < 120; ++i) soup.positions.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
  for (int i = 0; i < 900; ++i) soup.triangles.push_back({random.below(120), random.below(120), random.below(120)});
  const SurfaceCut cut = cut_surface(soup, cell, 0.1);
  for (const Vec3& p : cut.caps.positions) EXPECT_TRUE(p.allFinite());
  TriMesh twice = make_torus(1, 0.4, 10, 6);  // every triangle twice
  twice.triangles.insert(twice.triangles.end(), twice.triangles.begin(), twice.triangles.end());
  expect_partition(twice, cells_of(random_planes(random, 2, 0.5)));
  TriMesh inside_out = make_box(Vec3::Ones());
  for (Triangle& t : inside_out.triangles) turn(t);
  const SurfaceCut half = cut_surface(inside_out, cell_of({side(Vec3::UnitX(), 0.1)}), 0);
  EXPECT_TRUE(half.closed);
  EXPECT_NEAR(half.volume, -0.6, 1e-15);
}

TEST(CutSurface, closes_random_closed_tangles) {
  // Random tetrahedra glued face to face are closed by pairs, whatever they cross: signed volumes still add up.
  Random random(77);
  TriMesh tangle;
  for (int i = 0; i < 40; ++i) tangle.positions.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
  for (int i = 0; i < 60; ++i) {
    int c[4];
    for (int& corner : c) corner = random.below(40);
    if (c[0] == c[1] || c[0] == c[2] || c[0] == c[3] || c[1] == c[2] || c[1] == c[3] || c[2] == c[3]) continue;
    tangle.triangles.insert(tangle.triangles.end(), {{c[0], c[2], c[1]}, {c[0], c[1], c[3]}, {c[1], c[2], c[3]}, {c[2], c[0], c[3]}});
  }
  const double whole = volume_of(tangle);
  for (int round = 0; round < 10; ++round) {
    double sum = 0, size = 0;
    for (const ConvexCell& cell : cells_of(random_planes(random, 3, 0.3))) {
      const SurfaceCut cut = cut_surface(tangle, cell, round % 2 ? 0.3 : 0);
      EXPECT_TRUE(cut.closed);
      EXPECT_LT(cut.gap, 1e-12);
      sum += cut.volume, size += std::abs(cut.volume);
    }
    EXPECT_NEAR(sum, whole, 1e-12 * (size + std::abs(whole)));
  }
}

TEST(MeasureClosed, knows_volume_and_gaps) {
  const TriMesh box = make_box(Vec3(1, 2, 3)), ball = make_sphere(1);
  const TriMesh* both[] = {&box, &ball};
  const ClosedReport closed = measure_closed(both);
  EXPECT_TRUE(closed.closed);
  EXPECT_NEAR(closed.volume, 6 + volume_of(ball), 1e-13);
  EXPECT_LT(closed.gap, 1e-13);
  TriMesh half = box, lid = box;
  half.triangles.erase(half.triangles.begin() + 2, half.triangles.begin() + 4);
  lid.triangles = {box.triangles[2], box.triangles[3]};
  const TriMesh* open[] = {&half};
  EXPECT_FALSE(measure_closed(open).closed);
  EXPECT_NEAR(measure_closed(open).gap, 6, 1e-14);  // 2 x 3 are missing
  const TriMesh* joined[] = {&half, &lid};
  EXPECT_TRUE(measure_closed(joined).closed);
  turn(lid.triangles[0]);
  EXPECT_FALSE(measure_closed(joined).closed);
}

}  // namespace crumple
