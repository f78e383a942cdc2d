#include "crumple/geometry/shape_basis.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"

namespace crumple {
namespace {

/// Sums of a few smooth patterns, with weights that wander.
ShapeRows patterns(int rows, int vertices, int count) {
  ShapeRows shapes{vertices, {}};
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vertices; ++v) {
      Vec3f move = Vec3f::Zero();
      for (int k = 0; k < count; ++k) {
        const float weight = std::sin(0.05f * static_cast<float>((k + 1) * r) + static_cast<float>(k)), place = 0.02f * static_cast<float>(v * (k + 2));
        move += weight * 0.1f / static_cast<float>(k + 1) * Vec3f(std::sin(place), std::cos(place), std::sin(2 * place));
      }
      shapes.moves.push_back(move);
    }
  }
  return shapes;
}

double farthest(const ShapeRows& rows, const ShapeBasis& basis) {
  double worst = 0;
  for (int r = 0; r < rows.count(); ++r) {
    std::vector<Vec3f> shape(static_cast<size_t>(rows.vertices), Vec3f::Zero());
    for (size_t k = 0; k < basis.targets.size(); ++k) {
      for (size_t i = 0; i < basis.targets[k].vertices.size(); ++i) shape[static_cast<size_t>(basis.targets[k].vertices[i])] += basis.weight(r, static_cast<int>(k)) * basis.targets[k].moves[i];
    }
    for (size_t v = 0; v < shape.size(); ++v) worst = std::max<double>(worst, (shape[v] - rows.moves[static_cast<size_t>(r) * shape.size() + v]).norm());
  }
  return worst;
}

TEST(ShapeBasis, has_as_many_targets_as_there_are_patterns) {
  const ShapeRows rows = patterns(120, 300, 5);
  const ShapeBasis basis = find_shape_basis(rows, {1e-5, 0});
  EXPECT_EQ(basis.targets.size(), 5u);
  EXPECT_LE(farthest(rows, basis), 1.1e-5);
  for (const float weight : basis.weights) EXPECT_LE(std::abs(weight), 0.5f);
}

TEST(ShapeBasis, keeps_the_tolerance_in_whole_numbers_too) {
  const ShapeRows rows = patterns(120, 300, 9);
  for (const double tolerance : {0.001, 0.01}) {
    const double unit = tolerance / 5;
    const ShapeBasis basis = find_shape_basis(rows, {tolerance, unit});
    EXPECT_LE(farthest(rows, basis), 1.01 * tolerance);
    EXPECT_LE(basis.targets.size(), 18u);
    for (const ShapeTarget& target : basis.targets) {
      for (const Vec3f& move : target.moves) {
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(move[c] / unit, std::round(move[c] / unit), 1e-3);
      }
    }
  }
}

TEST(ShapeBasis, small_remainders_cost_few_vertices) {
  ShapeRows rows = patterns(100, 400, 2);
  for (int r = 0; r < 100; ++r) {
    for (int v = 0; v < 8; ++v) rows.moves[static_cast<size_t>(r * 400 + 50 * v)].y() += 0.01f * std::sin(0.3f * static_cast<float>(r * (v + 1)));
  }
  const ShapeBasis basis = find_shape_basis(rows, {0.001, 0});
  EXPECT_LE(farthest(rows, basis), 0.00101);
  size_t entries = 0;
  for (const ShapeTarget& target : basis.targets) entries += target.vertices.size();
  EXPECT_GE(basis.targets.size(), 10u);
  EXPECT_LT(entries, 400u * 8) << "eight vertices that move on their own do not make every vertex move";
}

TEST(ShapeBasis, noise_without_any_pattern_still_ends) {
  ShapeRows rows{20, {}};
  Random random(3);
  for (int i = 0; i < 30 * 20; ++i) rows.moves.emplace_back(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1));
  for (const double unit : {0.0, 0.02}) EXPECT_LE(farthest(rows, find_shape_basis(rows, {0.1, unit})), 0.101);
}

TEST(ShapeBasis, nothing_that_moves_needs_no_target) {
  EXPECT_TRUE(find_shape_basis(ShapeRows{3, std::vector<Vec3f>(9, Vec3f::Zero())}, {0.001, 0}).targets.empty());
  EXPECT_TRUE(find_shape_basis(ShapeRows{3, std::vector<Vec3f>(9, Vec3f(1e-4f, 0, 0))}, {0.001, 0}).targets.empty()) << "within the tolerance";
  EXPECT_EQ(find_shape_basis(ShapeRows{1, {Vec3f(0, 0, 1)}}, {0.001, 0}).targets.size(), 1u);
}

TEST(ShapeBasis, is_the_same_on_any_number_of_threads) {
  const int before = thread_count();
  const ShapeRows rows = patterns(150, 700, 12);
  set_thread_count(1);
  const ShapeBasis one = find_shape_basis(rows, {0.001, 0.0002});
  set_thread_count(3);
  const ShapeBasis three = find_shape_basis(rows, {0.001, 0.0002});
  set_thread_count(before);
  EXPECT_EQ(one.weights, three.weights);
  ASSERT_EQ(one.targets.size(), three.targets.size());
  for (size_t k = 0; k < one.targets.size(); ++k) EXPECT_EQ(one.targets[k].moves, three.targets[k].moves);
}

TEST(ShapeBasis, raised_weights_add_up_to_the_same) {
  const ShapeRows rows = patterns(60, 100, 4);
  ShapeBasis basis = find_shape_basis(rows, {1e-4, 0});
  const ShapeBasis before = basis;
  const CounterTarget counter = raise_weights(basis);
  ASSERT_FALSE(counter.targets.empty());
  for (int r = 0; r < 60; ++r) {
    const float raise = counter.weights[static_cast<size_t>(r)];
    EXPECT_GE(raise, 0);
    EXPECT_LE(raise, 0.5f);
    for (const int k : counter.targets) EXPECT_FLOAT_EQ(basis.weight(r, k) - raise + 1, before.weight(r, k) + 1);
    for (size_t k = 0; k < basis.targets.size(); ++k) {
      EXPECT_GE(basis.weight(r, static_cast<int>(k)), 0);
      EXPECT_LE(basis.weight(r, static_cast<int>(k)), 1);
    }
  }
}

TEST(ShapeBasis, other_vectors_follow_the_same_weights) {
  const ShapeRows rows = patterns(120, 50, 3);
  ShapeRows turned = rows;
  for (Vec3f& move : turned.moves) move = Vec3f(2 * move.y(), -move.x(), move.z());  // linear in the moves, so in the weights
  const ShapeBasis basis = find_shape_basis(rows, {1e-5, 0});
  const auto fitted = fit_to_weights(basis, turned, basis.levels);
  double worst = 0;
  for (int r = 0; r < 120; ++r) {
    for (size_t v = 0; v < 50; ++v) {
      Vec3f sum = Vec3f::Zero();
      for (size_t k = 0; k < fitted.size(); ++k) sum += basis.weight(r, static_cast<int>(k)) * fitted[k][v];
      worst = std::max<double>(worst, (sum - turned.moves[static_cast<size_t>(r) * 50 + v]).norm());
    }
  }
  EXPECT_LT(worst, 0.002) << "0.2 long at most";
}

}  // namespace
}  // namespace crumple
