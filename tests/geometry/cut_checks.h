#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/geometry/cut_tets.h"
#include "tests/shapes.h"

namespace crumple {

inline Vec3 random_point(Random& random, const Bounds& box) {
  return {random.range(box.low.x(), box.high.x()), random.range(box.low.y(), box.high.y()), random.range(box.low.z(), box.high.z())};
}
inline Vec3 any_direction(Random& random) {
  Vec3 direction;
  do direction = random_point(random, {Vec3::Constant(-1), Vec3::Constant(1)});
  while (direction.norm() > 1 || direction.norm() < 0.1);
  return direction.normalized();
}
inline std::vector<CutPlane> random_planes(Random& random, int count, const Bounds& box) {
  std::vector<CutPlane> planes;
  for (int i = 0; i < count; ++i) {
    const Vec3 normal = any_direction(random);
    planes.push_back({normal, normal.dot(random_point(random, box))});
  }
  return planes;
}

inline const Bounds kUnitBox = {Vec3::Constant(-0.5), Vec3::Constant(0.5)};

inline TetMesh unit_cube(int cells) {
  return lattice_box({1, 1, 1}, cells);
}

/// Corners moved off their lattice, so that tetrahedra have all shapes.
inline TetMesh crooked_cube(int cells, uint64_t seed) {
  TetMesh mesh = unit_cube(cells);
  Random random(seed);
  for (Vec3& x : mesh.positions) x += 0.1 / cells * any_direction(random);
  return mesh;
}

/// Corners of one tetrahedron.
struct TetPlaces {
  TetPlaces(const TetMesh& mesh, int tet) {
    for (size_t i = 0; i < 4; ++i) x[i] = mesh.positions[static_cast<size_t>(mesh.tets[static_cast<size_t>(tet)][i])];
    size = std::max({(x[1] - x[0]).norm(), (x[2] - x[0]).norm(), (x[3] - x[0]).norm(), (x[2] - x[1]).norm()});
  }
  Vec3 place(const std::array<double, 4>& b) const { return b[0] * x[0] + b[1] * x[1] + b[2] * x[2] + b[3] * x[3]; }
  /// Area times outward normal of the face opposite a corner.
  Vec3 face(size_t corner) const {
    constexpr size_t kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const auto& [i, j, k] = kFaces[corner];
    return 0.5 * (x[j] - x[i]).cross(x[k] - x[i]);
  }
  std::array<Vec3, 4> x;
  double size = 0;
};

inline Vec3 loop_area(const std::vector<Vec3>& loop) {
  Vec3 area = Vec3::Zero();
  for (size_t i = 1; i + 1 < loop.size(); ++i) area += 0.5 * (loop[i] - loop[0]).cross(loop[i + 1] - loop[0]);
  return area;
}

/// Of one cell.
inline double total_volume(const std::vector<Fragment>& fragments, int cell) {
  double sum = 0;
  for (const Fragment& fragment : fragments) sum += fragment.cell == cell ? fragment.volume : 0;
  return sum;
}

/// A fragment on its own: closed, its corners in the tetrahedron and the cell, its cuts on their planes.
inline void check_fragment(const TetMesh& mesh, std::span<const ConvexCell> cells, const Fragment& fragment, double slack) {
  const TetPlaces tet(mesh, fragment.tet);
  const ConvexCell& cell = cells[static_cast<size_t>(fragment.cell)];
  const double tolerance = 4 * slack + 1e-13 * tet.size;  // where several cuts meet, a corner may be three times as far from one as from all
  Vec3 total = Vec3::Zero();
  for (size_t face = 0; face < 4; ++face) total += fragment.face_areas[face] * tet.face(face).normalized();
  for (const FragmentFace& cut : fragment.cuts) {
    const HalfSpace& side = cell.sides[static_cast<size_t>(cut.side)];
    for (const Vec3& x : cut.loop) EXPECT_NEAR(side.normal.dot(x), side.offset, tolerance);
    if (cut.tet_face < 0) total += loop_area(cut.loop);
    EXPECT_GE(loop_area(cut.loop).dot(side.normal), -1e-14 * tet.size * tet.size);
  }
  EXPECT_LE(total.norm(), 1e-13 * tet.size * tet.size) << "tet " << fragment.tet << " cell " << fragment.cell;
  ASSERT_EQ(fragment.corners.size(), fragment.inward.size());
  EXPECT_EQ(fragment.whole, fragment.corners.empty());
  for (const auto& corner : fragment.corners) {
    EXPECT_NEAR(corner[0] + corner[1] + corner[2] + corner[3], 1, 1e-14);
    for (const double share : corner) EXPECT_GE(share, 0);
    for (const HalfSpace& side : cell.sides) EXPECT_LE(side.normal.dot(tet.place(corner)), side.offset + tolerance);
  }
  for (const double share : fragment.center) EXPECT_GE(share, -1e-15);
}

/// All fragments together: they fill every tetrahedron, every face of it, and each cut between two of them is shared.
inline void check_partition(const TetMesh& mesh, std::span<const ConvexCell> cells, const std::vector<Fragment>& fragments, double slack) {
  std::vector<double> volumes(mesh.tets.size(), 0.0);
  std::vector<Eigen::Vector4d> centers(mesh.tets.size(), Eigen::Vector4d::Zero()), areas = centers;
  for (size_t i = 0; i < fragments.size(); ++i) {
    const Fragment& fragment = fragments[i];
    const auto tet = static_cast<size_t>(fragment.tet);
    const bool in_order = i == 0 || std::pair(fragments[i - 1].tet, fragments[i - 1].cell) < std::pair(fragment.tet, fragment.cell);
    EXPECT_TRUE(in_order);
    check_fragment(mesh, cells, fragment, slack);
    volumes[tet] += fragment.volume;
    centers[tet] += fragment.volume * Eigen::Map<const Eigen::Vector4d>(fragment.center.data());
    areas[tet] += Eigen::Map<const Eigen::Vector4d>(fragment.face_areas.data());
  }
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    const TetPlaces tet(mesh, static_cast<int>(t));
    const double volume = tet_volume(mesh.positions, mesh.tets[t]);
    EXPECT_NEAR(volumes[t] / volume, 1, 1e-13);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(centers[t][i] / volume, 0.25, 1e-13);
    // A fragment too small to count, 1e-15 of the volume, may have 1e-10 of a face.
    for (size_t face = 0; face < 4; ++face) EXPECT_NEAR(areas[t][static_cast<int>(face)] / tet.face(face).norm(), 1, 1e-10);
  }
}

/// Of each fragment, what its neighbours in the same tetrahedron share adds up to its cuts; both directions give the same.
inline void check_patches(const TetMesh& mesh, std::span<const ConvexCell> cells, const std::vector<Fragment>& fragments, double tolerance = 1e-12) {
  for (size_t begin = 0, end = 0; begin < fragments.size(); begin = end) {
    while (end < fragments.size() && fragments[end].tet == fragments[begin].tet) ++end;
    const double size = TetPlaces(mesh, fragments[begin].tet).size;
    for (size_t i = begin; i < end; ++i) {
      const Fragment& a = fragments[i];
      double area = 0, shared = 0;
      for (const FragmentFace& cut : a.cuts) area += cut.tet_face < 0 ? loop_area(cut.loop).norm() : 0;
      for (size_t j = begin; j < end; ++j) {
        if (j == i) continue;
        const Fragment& b = fragments[j];
        const ConvexCell &cell_a = cells[static_cast<size_t>(a.cell)], &cell_b = cells[static_cast<size_t>(b.cell)];
        const Patch there = shared_patch(a, cell_a, b, cell_b), back = shared_patch(b, cell_b, a, cell_a);
        shared += there.area;
        EXPECT_NEAR(there.area, back.area, tolerance * size * size);
        EXPECT_LE((there.normal + back.normal).norm(), tolerance * size * size);
        EXPECT_LE((there.first - back.first).norm(), tolerance * size * size * (1 + size));
        EXPECT_NEAR(there.normal.norm(), there.area, tolerance * size * size);
      }
      EXPECT_NEAR(shared, area, tolerance * size * size) << "tet " << a.tet << " cell " << a.cell;
    }
  }
}

}  // namespace crumple
