#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/mesh.h"
#include "crumple/rigid/hulls.h"
#include "tests/rigid/tet_lattice.h"

namespace crumple::rigid {
namespace {

using namespace testing;

constexpr double kHullMargin = 0.005;

/// A mesh cut into pieces: each has its own vertices.
struct Scored {
  TetMesh mesh;
  std::vector<int> piece, cut_tets, first_corner = {0};
  std::vector<std::array<float, 4>> corners;
  std::vector<Vec3f> inward;

  ScoredTets tets(double margin = kHullMargin) const { return {piece, cut_tets, first_corner, corners, inward, margin}; }
  /// What is filled of a tetrahedron in some shape.
  std::vector<Vec3> filled(std::span<const Vec3> shape, int tet) const {
    const auto found = std::lower_bound(cut_tets.begin(), cut_tets.end(), tet);
    const Tetrahedron& vertices = mesh.tets[tet];
    if (found == cut_tets.end() || *found != tet) return gather(shape, vertices);
    std::vector<Vec3> points;
    const size_t cut = found - cut_tets.begin();
    for (int c = first_corner[cut]; c < first_corner[cut + 1]; ++c) {
      points.push_back(Vec3::Zero());
      for (int i = 0; i < 4; ++i) points.back() += static_cast<double>(corners[c][i]) * shape[vertices[i]];
    }
    return points;
  }
};

/// One side of a cut through whole cells, or of x = through: which tetrahedra it has, and where it ends.
struct Side {
  double low = -1e9, high = 1e9;  // filled between these x
};

struct Corner {
  std::array<float, 4> weights;
  Vec3 at;
};

/// The part of a tetrahedron between x = low and x = high, which must not both cut it.
std::vector<Corner> clipped(const TetMesh& mesh, const Tetrahedron& tet, const Side& side) {
  std::vector<Corner> corners;
  const auto x = [&](int i) { return mesh.positions[tet[i]].x(); };
  for (int i = 0; i < 4; ++i) {
    if (x(i) < side.low - 1e-9 || x(i) > side.high + 1e-9) continue;
    Corner corner{{}, mesh.positions[tet[i]]};
    corner.weights[i] = 1;
    corners.push_back(corner);
  }
  for (const double cut : {side.low, side.high}) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        if (!(x(i) < cut - 1e-9 && x(j) > cut + 1e-9)) continue;
        const double t = (cut - x(i)) / (x(j) - x(i));
        Corner corner{{}, (1 - t) * mesh.positions[tet[i]] + t * mesh.positions[tet[j]]};
        corner.weights[i] = static_cast<float>(1 - t), corner.weights[j] = static_cast<float>(t);
        corners.push_back(corner);
      }
    }
  }
  return corners;
}

/// Cuts a mesh at x = through and, between whole cells, at y = between: four pieces, numbered 2 * (above between) + (beyond through).
Scored cut_in_four(const TetMesh& whole, double through, double between) {
  Scored scored;
  for (int piece = 0; piece < 4; ++piece) {
    const Side side = piece % 2 ? Side{through, 1e9} : Side{-1e9, through};
    const bool above = piece / 2;
    std::map<int, int> copies;
    for (const Tetrahedron& tet : whole.tets) {
      const auto center = [&](int axis) {
        return (whole.positions[tet[0]] + whole.positions[tet[1]] + whole.positions[tet[2]] + whole.positions[tet[3]])[axis] / 4;
      };
      if ((center(1) > between) != above) continue;
      const std::vector<Corner> corners = clipped(whole, tet, side);
      const auto deep = [&](const Corner& c) { return piece % 2 ? c.at.x() > through + 1e-9 : c.at.x() < through - 1e-9; };
      if (std::none_of(corners.begin(), corners.end(), deep)) continue;
      Tetrahedron copy;
      for (int i = 0; i < 4; ++i) {
        const auto [found, is_new] = copies.try_emplace(tet[i], static_cast<int>(scored.mesh.positions.size()));
        if (is_new) scored.mesh.positions.push_back(whole.positions[tet[i]]);
        copy[i] = found->second;
      }
      bool touches = false;
      for (const Corner& corner : corners) {
        Vec3f inward = Vec3f::Zero();
        if (std::abs(corner.at.x() - through) < 1e-6) inward.x() = piece % 2 ? 1 : -1;
        if (std::abs(corner.at.y() - between) < 1e-6) inward.y() = above ? 1 : -1;
        touches |= !inward.isZero(0);
        scored.corners.push_back(corner.weights), scored.inward.push_back(inward);
      }
      if (touches) {
        scored.cut_tets.push_back(static_cast<int>(scored.mesh.tets.size()));
        scored.first_corner.push_back(static_cast<int>(scored.corners.size()));
      } else {
        scored.corners.resize(scored.first_corner.back()), scored.inward.resize(scored.first_corner.back());
      }
      scored.mesh.tets.push_back(copy);
      scored.piece.push_back(piece);
    }
  }
  return scored;
}

Scored two_boxes(double through = 0.33) {
  return cut_in_four(box_mesh(), through, 9);
}

std::vector<Vec3> hull_points(const HullDecomposition& hulls, size_t hull, std::span<const Vec3> shape) {
  std::vector<Vec3> points = gather(shape, hulls.vertices[hull]);
  for (const CarriedPoint& carried : hulls.carried[hull]) {
    points.push_back(Vec3::Zero());
    for (int i = 0; i < 4; ++i) points.back() += static_cast<double>(carried.weights[i]) * shape[carried.vertices[i]];
  }
  return points;
}

/// Whatever a piece fills lies in one of its hulls but for what was moved in.
void expect_filled(const Scored& scored, std::span<const Vec3> shape, const HullDecomposition& hulls, double slack) {
  std::vector<std::vector<double>> reaches;
  for (size_t h = 0; h < hulls.vertices.size(); ++h) reaches.push_back(reach(hull_points(hulls, h, shape)));
  for (size_t t = 0; t < scored.mesh.tets.size(); ++t) {
    const std::vector<double> needed = reach(scored.filled(shape, static_cast<int>(t)));
    bool held = false;
    for (size_t h = 0; h < reaches.size() && !held; ++h) {
      held = hulls.piece[h] == scored.piece[t] &&
             std::equal(needed.begin(), needed.end(), reaches[h].begin(), [&](double want, double have) { return want <= have + slack; });
    }
    EXPECT_TRUE(held) << "tetrahedron " << t << " of piece " << scored.piece[t];
  }
}

std::vector<int> hulls_per_piece(const HullDecomposition& hulls, int pieces) {
  std::vector<int> counts(pieces, 0);
  for (const int piece : hulls.piece) ++counts[piece];
  return counts;
}

TEST(PieceHulls, keep_the_margin_from_every_cut) {
  const Scored scored = cut_in_four(box_mesh(), 0.33, 0.2);
  const std::vector<std::vector<Vec3>> shapes = {scored.mesh.positions, bent(scored.mesh, 0.4)};
  const ScoredTets tets = scored.tets();
  const HullDecomposition hulls = decompose(scored.mesh, shapes, {.tolerance = 0.01, .least = 8, .most = 24}, &tets);
  ASSERT_EQ(hulls.piece.size(), hulls.vertices.size());
  ASSERT_EQ(hulls.carried.size(), hulls.vertices.size());
  std::array<double, 4> nearest_x, nearest_y;
  nearest_x.fill(1), nearest_y.fill(1);
  for (size_t h = 0; h < hulls.piece.size(); ++h) {
    const int piece = hulls.piece[h];
    for (const Vec3& point : hull_points(hulls, h, scored.mesh.positions)) {
      nearest_x[piece] = std::min(nearest_x[piece], (piece % 2 ? 1 : -1) * (point.x() - 0.33));
      nearest_y[piece] = std::min(nearest_y[piece], (piece / 2 ? 1 : -1) * (point.y() - 0.2));
    }
  }
  for (int piece = 0; piece < 4; ++piece) {
    EXPECT_NEAR(nearest_x[piece], kHullMargin, 1e-6);
    EXPECT_NEAR(nearest_y[piece], kHullMargin, 1e-6);
  }
}

TEST(PieceHulls, keep_the_margin_also_where_a_vertex_is_near_a_cut_without_touching_it) {
  for (const double beside : {0.002, -0.003}) {
    const double cut = 0.3 + beside;
    const Scored scored = two_boxes(cut);
    const ScoredTets tets = scored.tets();
    const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.01, .least = 6, .most = 24}, &tets);
    for (int piece = 0; piece < 2; ++piece) {
      double nearest = 1;
      for (size_t h = 0; h < hulls.piece.size(); ++h) {
        if (hulls.piece[h] != piece) continue;
        for (const Vec3& point : hull_points(hulls, h, scored.mesh.positions)) nearest = std::min(nearest, (piece ? 1 : -1) * (point.x() - cut));
      }
      EXPECT_NEAR(nearest, kHullMargin, 1e-6);
    }
    expect_filled(scored, scored.mesh.positions, hulls, kHullMargin + 1e-3);
  }
}

TEST(PieceHulls, hold_all_of_their_piece_in_every_shape_but_for_the_margin) {
  const Scored scored = cut_in_four(box_mesh(), 0.33, 0.2);
  const std::vector<std::vector<Vec3>> shapes = {scored.mesh.positions, bent(scored.mesh, 0.4), bent(scored.mesh, -0.6)};
  const ScoredTets tets = scored.tets();
  const HullDecomposition hulls = decompose(scored.mesh, shapes, {.tolerance = 0.01, .least = 8, .most = 24}, &tets);
  const double moved = std::sqrt(2.0) * kHullMargin;          // in from two cuts
  expect_filled(scored, shapes[0], hulls, moved + 1e-3);  // and what may be left out along cuts
  expect_filled(scored, shapes[1], hulls, 1.4 * moved);   // where it is stretched
  expect_filled(scored, shapes[2], hulls, 1.4 * moved);
  expect_filled(scored, bent(scored.mesh, 0.2), hulls, 1.4 * moved);
  std::vector<int> faces;
  for (const auto& of_hull : hulls.faces) faces.insert(faces.end(), of_hull.begin(), of_hull.end());
  EXPECT_EQ(faces.size(), boundary_faces(scored.mesh).size());
}

TEST(PieceHulls, of_a_box_in_two_are_two_boxes) {
  const Scored scored = two_boxes();
  const ScoredTets tets = scored.tets();
  const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.01, .least = 1, .most = 24}, &tets);
  ASSERT_EQ(hulls.piece, (std::vector{0, 1}));  // the faces along the cut do not count as standing out
  EXPECT_LT(hulls.overshoot, 1e-9);
  for (int h = 0; h < 2; ++h) {
    const std::vector<Vec3> points = hull_points(hulls, h, scored.mesh.positions);
    EXPECT_EQ(hulls.vertices[h].size(), 4u);
    EXPECT_LE(points.size(), 16u);  // and what rounding leaves outside of the cut's four corners
    const Bounds bounds = bounds_of(points);
    EXPECT_NEAR(bounds.low.x(), h ? 0.33 + kHullMargin : 0, 1e-6);
    EXPECT_NEAR(bounds.high.x(), h ? 0.8 : 0.33 - kHullMargin, 1e-6);
    EXPECT_NEAR((bounds.high - bounds.low).y(), 0.4, 1e-6);
  }
}

TEST(PieceHulls, are_shared_out_by_volume) {
  const Scored scored = two_boxes(0.25);
  const ScoredTets tets = scored.tets();
  const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.01, .least = 10, .most = 24}, &tets);
  EXPECT_EQ(hulls_per_piece(hulls, 4), (std::vector{3, 7, 0, 0}));  // 10 x 0.25 / 0.8 = 3.1
}

TEST(PieceHulls, are_at_least_one_a_piece_and_then_no_more_than_allowed) {
  const Scored scored = cut_in_four(box_mesh(), 0.05, 0.2);
  const std::vector<std::vector<Vec3>> shapes = {scored.mesh.positions, bent(scored.mesh, 1.0)};
  const ScoredTets tets = scored.tets();
  for (const int most : {1, 4, 9}) {
    const HullDecomposition hulls = decompose(scored.mesh, shapes, {.tolerance = 1e-4, .least = 1, .most = most}, &tets);
    const std::vector<int> counts = hulls_per_piece(hulls, 4);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), std::max(4, most));
    EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1);
  }
}

/// Lattice cells in two pieces, every vertex copied for each.
template <class Inner>
Scored by_cells(const TetMesh& whole, Inner inner) {
  Scored scored;
  std::map<std::pair<int, int>, int> copies;
  std::vector<Vec3> cuts;
  for (const Tetrahedron& tet : whole.tets) {
    const Vec3 center = (whole.positions[tet[0]] + whole.positions[tet[1]] + whole.positions[tet[2]] + whole.positions[tet[3]]) / 4;
    const int piece = inner(center);
    Tetrahedron copy;
    for (int i = 0; i < 4; ++i) {
      const auto [found, is_new] = copies.try_emplace({piece, tet[i]}, static_cast<int>(scored.mesh.positions.size()));
      if (is_new) scored.mesh.positions.push_back(whole.positions[tet[i]]);
      copy[i] = found->second;
    }
    scored.mesh.tets.push_back(copy);
    scored.piece.push_back(piece);
  }
  return scored;
}

TEST(PieceHulls, a_hollow_left_by_another_piece_counts_as_bridged) {
  const TetMesh plate = lattice(12, 8, 2, 0.1, [](int, int, int) { return true; });
  const Scored scored = by_cells(plate, [](const Vec3& p) { return p.x() > 0.4 && p.x() < 0.8 && p.y() > 0.4; });
  const ScoredTets tets = scored.tets();
  const HullDecomposition few = decompose(scored.mesh, {}, {.tolerance = 0.02, .least = 1, .most = 2}, &tets);
  EXPECT_GT(few.overshoot, 0.1);
  const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.02, .least = 1, .most = 24}, &tets);
  EXPECT_LE(hulls.overshoot, 0.02);
  EXPECT_EQ(hulls_per_piece(hulls, 2)[1], 1);  // convex
  EXPECT_LT(hulls.piece.size(), 12u);
}

TEST(PieceHulls, of_one_piece_without_cuts_are_those_of_the_body) {
  const TetMesh mesh = lattice(10, 10, 3, 0.1, [](int x, int y, int) { return x < 3 || y < 3; });
  const std::vector<std::vector<Vec3>> shapes = {mesh.positions, bent(mesh, 0.4)};
  const std::vector<int> piece(mesh.tets.size(), 0);
  const ScoredTets tets{.piece = piece, .cut_tets = {}, .first_corner = {}, .corners = {}, .inward = {}, .margin = kHullMargin};
  const HullDecomposition whole = decompose(mesh, shapes, {}), one = decompose(mesh, shapes, {}, &tets);
  EXPECT_TRUE(whole.piece.empty());
  EXPECT_EQ(one.piece, std::vector<int>(one.vertices.size(), 0));
  EXPECT_EQ(whole.vertices, one.vertices);
  EXPECT_EQ(whole.faces, one.faces);
  EXPECT_EQ(whole.overshoot, one.overshoot);
}

TEST(PieceHulls, of_a_piece_thinner_than_two_margins_stay_inside_it) {
  Scored scored = two_boxes(0.004);
  const ScoredTets tets = scored.tets();
  const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.01, .least = 1, .most = 24}, &tets);
  for (const Vec3& point : hull_points(hulls, 0, scored.mesh.positions)) {
    EXPECT_GE(point.x(), -1e-6);
    EXPECT_LE(point.x(), 0.002 + 1e-6);  // half of it
  }
}

TEST(PieceHulls, are_carried_by_tetrahedra_that_hold_their_points_even_if_these_are_thinner_than_the_margin) {
  TetMesh fine = box_mesh();
  for (Vec3& p : fine.positions) p.x() *= 0.02;  // cells of 2 mm
  const Scored scored = cut_in_four(fine, 0.33 * 0.02, 9);
  const ScoredTets tets = scored.tets(0.0025);
  const HullDecomposition hulls = decompose(scored.mesh, {}, {.tolerance = 0.001, .least = 1, .most = 24}, &tets);
  for (size_t h = 0; h < hulls.piece.size(); ++h) {
    const int side = hulls.piece[h] ? 1 : -1;
    double nearest = 1;
    for (const Vec3& point : hull_points(hulls, h, scored.mesh.positions)) nearest = std::min(nearest, side * (point.x() - 0.33 * 0.02));
    EXPECT_NEAR(nearest, 0.0025, 1e-6);
    for (const CarriedPoint& carried : hulls.carried[h])
      for (const float weight : carried.weights) EXPECT_GT(weight, -0.51f);
  }
}

TEST(PieceHulls, do_not_depend_on_the_number_of_threads) {
  const Scored scored = cut_in_four(box_mesh(), 0.33, 0.2);
  const std::vector<std::vector<Vec3>> shapes = {scored.mesh.positions, bent(scored.mesh, 0.7)};
  const ScoredTets tets = scored.tets();
  const int before = thread_count();
  std::vector<HullDecomposition> found;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    found.push_back(decompose(scored.mesh, shapes, {.tolerance = 0.01, .least = 6, .most = 20}, &tets));
  }
  set_thread_count(before);
  EXPECT_EQ(found[0].vertices, found[1].vertices);
  EXPECT_EQ(found[0].piece, found[1].piece);
  EXPECT_EQ(found[0].overshoot, found[1].overshoot);
  for (size_t h = 0; h < found[0].carried.size(); ++h) {
    ASSERT_EQ(found[0].carried[h].size(), found[1].carried[h].size());
    for (size_t i = 0; i < found[0].carried[h].size(); ++i) EXPECT_EQ(found[0].carried[h][i].weights, found[1].carried[h][i].weights);
  }
}

}  // namespace
}  // namespace crumple::rigid
