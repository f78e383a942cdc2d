#include "crumple/geometry/lattice.h"

#include <limits>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/stuffing.h"
#include "crumple/geometry/tet_quality.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

struct Filled {
  TetMesh mesh;
  LatticeReport report;
};

/// Fills a surface and holds the result to everything that must hold for all.
Filled fill(const TriMesh& surface, LatticeSettings settings) {
  Filled filled;
  Result<TetMesh> mesh = fill_with_tets(surface, settings, filled.report);
  if (!mesh) {
    ADD_FAILURE() << mesh.error().text;
    return filled;
  }
  filled.mesh = std::move(*mesh);
  const LatticeReport& report = filled.report;
  EXPECT_GE(report.smallest_angle, 8);
  EXPECT_LE(report.largest_angle, 165);
  EXPECT_EQ(report.enclosed, 1);
  EXPECT_LE(report.farthest_outside, 0.01 * report.cell_size);
  EXPECT_EQ(report.tets, filled.mesh.tets.size());
  EXPECT_EQ(report.vertices, filled.mesh.positions.size());
  for (const Tetrahedron& tet : filled.mesh.tets) EXPECT_GT(tet_volume(filled.mesh.positions, tet), 0);
  EXPECT_TRUE(non_manifold_vertices(boundary_faces(filled.mesh)).empty());
  return filled;
}

Filled fill(const TriMesh& surface, int cells) {
  LatticeSettings settings;
  settings.cells = cells;
  return fill(surface, settings);
}

/// Faces by how many tetrahedra use them; conforming means 1 (outer) or 2 (inner).
size_t most_uses_of_a_face(const TetMesh& mesh) {
  std::vector<Triangle> faces;
  for (const Tetrahedron& t : mesh.tets) {
    for (const Triangle& f : {Triangle{t[0], t[1], t[2]}, Triangle{t[0], t[1], t[3]}, Triangle{t[0], t[2], t[3]}, Triangle{t[1], t[2], t[3]}}) {
      faces.push_back(f);
      std::sort(faces.back().begin(), faces.back().end());
    }
  }
  std::sort(faces.begin(), faces.end());
  size_t most = 0;
  for (size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
    while (end < faces.size() && faces[end] == faces[begin]) ++end;
    most = std::max(most, end - begin);
  }
  return most;
}

double boundary_volume(const TetMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : boundary_faces(mesh)) volume += mesh.positions[a].dot(mesh.positions[b].cross(mesh.positions[c])) / 6;
  return volume;
}

TEST(Lattice, volume_of_a_sphere_converges_with_the_cells) {
  double before = 1;
  for (const int cells : {6, 10, 16, 24}) {
    const Filled sphere = fill(make_sphere(1), cells);
    EXPECT_LT(std::abs(sphere.report.volume_error), before + 0.002);
    before = std::abs(sphere.report.volume_error);
    EXPECT_EQ(sphere.report.parts, 1);
    EXPECT_EQ(euler_characteristic(boundary_faces(sphere.mesh)), 2);
  }
  EXPECT_LT(before, 0.01);
}

TEST(Lattice, meets_the_edges_of_boxes_and_cylinders_even_if_cells_are_large) {
  EXPECT_LT(fill(make_box({1, 0.7, 0.5}), 6).report.volume_error, 0.06);
  EXPECT_LT(fill(make_cylinder(0.5, 1.2), 6).report.volume_error, 0.05);
}

TEST(Lattice, is_conforming_and_its_boundary_encloses_its_volume) {
  const Filled filled = fill(make_lump(5), 12);
  EXPECT_EQ(most_uses_of_a_face(filled.mesh), 2u);
  EXPECT_NEAR(boundary_volume(filled.mesh), filled.report.volume, 1e-9);
}

TEST(Lattice, keeps_the_shape_of_boxes_cylinders_and_tori) {
  const Filled box = fill(make_box({1, 0.7, 0.5}), 16), cylinder = fill(make_cylinder(0.5, 1.2), 16), torus = fill(make_torus(1, 0.4), 16);
  EXPECT_LT(box.report.volume_error, 0.05);
  EXPECT_LT(cylinder.report.volume_error, 0.05);
  EXPECT_LT(torus.report.volume_error, 0.05);
  EXPECT_EQ(euler_characteristic(boundary_faces(box.mesh)), 2);
  EXPECT_EQ(euler_characteristic(boundary_faces(cylinder.mesh)), 2);
  EXPECT_EQ(euler_characteristic(boundary_faces(torus.mesh)), 0);
  for (const Filled* filled : {&box, &cylinder, &torus}) EXPECT_EQ(filled->report.parts, 1);
}

TEST(Lattice, overlapping_spheres_become_one_body_and_distant_ones_two) {
  TriMesh overlapping = make_sphere(1), apart = make_sphere(1);
  append(overlapping, make_sphere(0.8), {0.9, 0.1, 0});
  append(apart, make_sphere(0.8), {2.5, 0, 0});
  const Filled one = fill(overlapping, 16);
  EXPECT_EQ(one.report.parts, 1);
  EXPECT_EQ(euler_characteristic(boundary_faces(one.mesh)), 2);
  EXPECT_LT(one.report.volume, one.report.surface_volume);  // the overlap is filled once
  EXPECT_EQ(fill(apart, 16).report.parts, 2);
}

TEST(Lattice, survives_holes_and_flipped_triangles_with_and_without_repair) {
  TriMesh holed = make_sphere(1), flipped = make_torus(1, 0.4);
  std::erase_if(holed.triangles, [&](const Triangle& t) { return holed.positions[t[0]].y() > 0.98; });
  for (size_t t = 0; t < flipped.triangles.size(); t += 40) turn(flipped.triangles[t]);
  for (const bool repair : {true, false}) {
    LatticeSettings settings;
    settings.cells = 14, settings.repair = repair;
    const Filled sphere = fill(holed, settings), ring = fill(flipped, settings);
    EXPECT_NEAR(sphere.report.volume, 4.19, 0.15);
    EXPECT_NEAR(ring.report.volume, 2 * M_PI * M_PI * 0.16, 0.4);
    EXPECT_EQ(sphere.report.parts, 1);
    EXPECT_EQ(ring.report.parts, 1);
  }
}

TEST(Lattice, keeps_good_angles_in_random_lumps) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Filled lump = fill(make_lump(seed), 8 + static_cast<int>(seed));
    EXPECT_EQ(lump.report.parts, 1);
  }
}

TEST(Lattice, stuffing_keeps_its_angles_for_any_values) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    BccLattice lattice;
    lattice.cells = {8, 8, 8};
    std::vector<double> values(static_cast<size_t>(lattice.size()), -1.0);
    for (int p = 0; p < lattice.size(); ++p) {
      const std::array<int, 3> at = lattice.halves(p);
      if (*std::min_element(at.begin(), at.end()) > 1 && *std::max_element(at.begin(), at.end()) < 15) values[p] = std::pow(random.range(-1, 1), 3);
    }
    const Stuffing stuffing = stuff(lattice, values);
    const DihedralRange angles = dihedral_range(stuffing.mesh);
    EXPECT_GE(angles.smallest, 10.5);
    EXPECT_LE(angles.largest, 165);
    EXPECT_EQ(stuffing.boundary.size(), boundary_faces(stuffing.mesh).size());
    EXPECT_EQ(most_uses_of_a_face(stuffing.mesh), 2u);
  }
}

TEST(Lattice, does_not_depend_on_the_number_of_threads) {
  const int threads = thread_count();
  set_thread_count(1);
  const Filled one = fill(make_lump(7), 12);
  set_thread_count(3);
  const Filled three = fill(make_lump(7), 12);
  set_thread_count(threads);
  EXPECT_EQ(one.mesh.positions, three.mesh.positions);
  EXPECT_EQ(one.mesh.tets, three.mesh.tets);
}

TEST(Lattice, refuses_a_thin_plate_and_names_cells_that_are_accepted) {
  LatticeReport report;
  LatticeSettings settings;
  settings.cells = 10;
  const TriMesh plate = make_box({1, 0.06, 1});
  const Result<TetMesh> refused = fill_with_tets(plate, settings, report);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("use a cell size of 0.0588 m"), std::string::npos) << refused.error().text;
  EXPECT_NEAR(report.thinnest, 0.06, 1e-6);
  settings.cell_size = 0.0588;
  EXPECT_EQ(fill(plate, settings).report.parts, 1);
}

TEST(Lattice, thickens_what_is_thin_if_allowed_and_keeps_it_in_one_piece) {
  TriMesh mast = make_box({1, 1, 1});
  append(mast, make_cylinder(0.01, 1), {0, 0.9, 0});
  const Filled filled = fill(mast, 16);  // a small share of the surface: allowed by default
  EXPECT_GT(filled.report.thin_share, 0);
  EXPECT_NEAR(filled.report.thinnest, 0.02, 0.002);
  EXPECT_EQ(filled.report.parts, 1);
  LatticeSettings settings;
  settings.cells = 10, settings.thin_allowed = 1;
  EXPECT_EQ(fill(make_box({1, 0.02, 1}), settings).report.parts, 1);
}

TEST(Lattice, closes_gaps_too_narrow_for_a_manifold) {
  TriMesh stack = make_box({1, 0.5, 1});
  append(stack, make_box({1, 0.5, 1}), {0.05, 0.52, 0.03});
  for (const int cells : {8, 11, 14}) fill(stack, cells);
}

TEST(Lattice, refuses_what_has_no_inside_with_a_reason) {
  TriMesh not_finite = make_box({1, 1, 1});
  for (Vec3& p : not_finite.positions) p.x() = std::numeric_limits<double>::quiet_NaN();
  LatticeSettings tiny_cells, few_cells, bad_size;
  tiny_cells.cell_size = 1e-9, few_cells.cells = 0, bad_size.cell_size = std::numeric_limits<double>::infinity();
  LatticeReport report;
  for (const TriMesh& broken : {TriMesh{}, make_plane_patch({0, 1, 0}, 0, 1), not_finite}) {
    for (const bool repair : {true, false}) {
      LatticeSettings settings;
      settings.repair = repair;
      const Result<TetMesh> result = fill_with_tets(broken, settings, report);
      ASSERT_FALSE(result);
      EXPECT_FALSE(result.error().text.empty());
    }
  }
  for (const LatticeSettings& settings : {tiny_cells, few_cells, bad_size}) EXPECT_FALSE(fill_with_tets(make_box({1, 1, 1}), settings, report));
}

TEST(Lattice, one_bad_vertex_is_repaired_away) {
  TriMesh mesh = make_torus(1, 0.4);
  mesh.positions[100].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fill(mesh, 14).report.parts, 1);
}

}  // namespace
}  // namespace crumple
