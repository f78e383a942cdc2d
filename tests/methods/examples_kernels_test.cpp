#include "crumple/methods/examples/kernels.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "crumple/core/random.h"
#include "crumple/rig/spread.h"
#include "tests/shapes.h"

namespace crumple::examples {
namespace {

Vec3 random_vector(Random& random) {
  return {random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
}

std::vector<double> projected(Rule rule, double gain, const std::vector<Vec3>& jacobian, const Vec3& dx) {
  std::vector<double> change(jacobian.size(), std::nan(""));
  project(rule, gain, jacobian, dx, change);
  return change;
}

double length(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

Vec3 moved(const std::vector<Vec3>& jacobian, const std::vector<double>& change) {
  Vec3 sum = Vec3::Zero();
  for (size_t e = 0; e < jacobian.size(); ++e) sum += jacobian[e] * change[e];
  return sum;
}

TEST(ExamplesEquation4, only_what_exceeds_the_yield_counts) {
  EXPECT_EQ(excess_share(0.39, 0.4, kReferenceStep), 0);
  EXPECT_EQ(excess_share(0.4, 0.4, kReferenceStep), 0);
  EXPECT_DOUBLE_EQ(excess_share(0.5, 0.4, kReferenceStep) * 0.5, 0.5 - 0.4);
  EXPECT_DOUBLE_EQ(excess_share(8.0, 0.4, kReferenceStep) * 8.0, 8.0 - 0.4);
}

TEST(ExamplesEquation4, without_a_yield_everything_counts) {
  EXPECT_EQ(excess_share(1e-9, 0, kReferenceStep), 1);
  EXPECT_EQ(excess_share(0, 0, kReferenceStep), 0);
}

TEST(ExamplesEquation4, a_longer_step_raises_the_yield_in_proportion_and_a_shorter_one_leaves_it) {
  EXPECT_DOUBLE_EQ(effective_yield(0.4, 4 * kReferenceStep), 1.6);
  EXPECT_DOUBLE_EQ(effective_yield(0.4, kReferenceStep), 0.4);
  EXPECT_DOUBLE_EQ(effective_yield(0.4, kReferenceStep / 5), 0.4);
  EXPECT_EQ(excess_share(1.5, 0.4, 4 * kReferenceStep), 0);
  EXPECT_DOUBLE_EQ(excess_share(3.2, 0.4, 4 * kReferenceStep), 0.5);
}

TEST(ExamplesEquation8, the_step_points_along_the_gradient_and_is_gain_times_displacement_long) {
  Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Vec3> jacobian = {Vec3::Zero(), random_vector(random), random_vector(random), random_vector(random)};
    const Vec3 dx = random.range(1e-6, 10) * random_vector(random);
    const std::vector<double> change = projected(Rule::Direction, 7, jacobian, dx);
    EXPECT_NEAR(length(change), 7 * dx.norm(), 1e-12 * 7 * dx.norm());
    EXPECT_EQ(change[0], 0);
    const double scale = change[1] / jacobian[1].dot(dx);
    EXPECT_GT(scale, 0);
    for (size_t e = 2; e < 4; ++e) EXPECT_NEAR(change[e], scale * jacobian[e].dot(dx), 1e-9 * length(change));
  }
}

TEST(ExamplesEquation8, an_impulse_across_all_examples_does_nothing) {
  const std::vector<Vec3> jacobian = {Vec3::Zero(), {0.3, 0, 0}, {-2, 0, 0}};
  for (const Rule rule : {Rule::Direction, Rule::Gradient, Rule::PseudoInverse}) {
    for (const double value : projected(rule, 1e9, jacobian, {0, 0.01, -3})) EXPECT_EQ(value, 0);
  }
}

TEST(ExamplesEquation8, vertices_that_no_example_moves_and_hits_of_no_strength_give_zero_not_nan) {
  const std::vector<Vec3> still(4, Vec3::Zero());
  const std::vector<Vec3> moving = {Vec3::Zero(), {1, 2, 3}, {0, 1, 0}, {2, 0, 0}};
  for (const Rule rule : {Rule::Direction, Rule::Gradient, Rule::PseudoInverse}) {
    for (const double value : projected(rule, 100, still, {1, 2, 3})) EXPECT_EQ(value, 0);
    for (const double value : projected(rule, 100, moving, Vec3::Zero())) EXPECT_EQ(value, 0);
  }
}

TEST(ExamplesEquation8, the_direction_does_not_depend_on_how_weak_the_hit_is) {
  const std::vector<Vec3> jacobian = {Vec3::Zero(), {0.3, 0.1, 0}, {0, -0.2, 0.5}};
  const std::vector<double> strong = projected(Rule::Direction, 1, jacobian, {1, 2, 3});
  const std::vector<double> weak = projected(Rule::Direction, 1, jacobian, 1e-12 * Vec3(1, 2, 3));
  for (size_t e = 0; e < 3; ++e) EXPECT_NEAR(weak[e], 1e-12 * strong[e], 1e-24);
}

TEST(ExamplesEquation10, the_natural_step_is_gain_times_the_gradient) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<Vec3> jacobian = {random_vector(random), random_vector(random), random_vector(random)};
    const Vec3 dx = random_vector(random);
    const std::vector<double> change = projected(Rule::Gradient, 3, jacobian, dx);
    for (size_t e = 0; e < 3; ++e) EXPECT_DOUBLE_EQ(change[e], jacobian[e].dot(dx) * 3);
  }
}

TEST(ExamplesEquation9, with_enough_examples_the_pseudo_inverse_moves_the_vertex_exactly_as_wanted) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    // Three columns far from each other make the rank full and the spectrum narrow; the others are arbitrary.
    std::vector<Vec3> jacobian = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), random_vector(random), random_vector(random)};
    for (size_t e = 1; e < 4; ++e) jacobian[e] += 0.2 * random_vector(random);
    const Vec3 dx = random_vector(random);
    EXPECT_LT((moved(jacobian, projected(Rule::PseudoInverse, 4, jacobian, dx)) - 4 * dx).norm(), 1e-9);
  }
}

TEST(ExamplesEquation9, among_all_exact_answers_the_pseudo_inverse_takes_the_smallest) {
  // Two equal examples share the work: the least-norm answer halves it.
  const std::vector<double> change = projected(Rule::PseudoInverse, 1, {Vec3(2, 0, 0), Vec3(2, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, {4, 0, 0});
  EXPECT_NEAR(change[0], 1, 1e-12);
  EXPECT_NEAR(change[1], 1, 1e-12);
  EXPECT_NEAR(change[2], 0, 1e-12);
}

TEST(ExamplesEquation9, directions_that_examples_hardly_move_in_are_not_inverted) {
  const std::vector<Vec3> jacobian = {{1, 0, 0}, {0, 0.5, 0}, {0, 0, 0.001}};
  const std::vector<double> change = projected(Rule::PseudoInverse, 1, jacobian, {1, 1, 1});
  EXPECT_NEAR(change[0], 1, 1e-12);
  EXPECT_NEAR(change[1], 2, 1e-12);
  EXPECT_NEAR(change[2], 0, 1e-12);  // the full inverse would ask for 1000
}

TEST(ExamplesEquation12, the_kernel_falls_smoothly_from_one_to_zero) {
  EXPECT_EQ(cubic_kernel(0), 1);
  EXPECT_EQ(cubic_kernel(0.5f), 0.5f);
  EXPECT_FLOAT_EQ(cubic_kernel(0.25f), 2 * 0.015625f - 3 * 0.0625f + 1);
  EXPECT_EQ(cubic_kernel(1), 0);
  EXPECT_EQ(cubic_kernel(7), 0);
  EXPECT_NEAR((1 - cubic_kernel(1e-3f)) / 1e-3f, 0, 4e-3);  // flat at both ends
  EXPECT_NEAR(cubic_kernel(1 - 1e-3f) / 1e-3f, 0, 4e-3);
  for (float x = 0; x < 1; x += 0.01f) EXPECT_GT(cubic_kernel(x), cubic_kernel(x + 0.01f));
}

TEST(ExamplesEquation11, a_hit_spreads_by_the_kernel_of_the_distance_along_the_body) {
  const TetMesh mesh = bar_asset(3).tets;
  const EdgeGraph graph = edge_graph(mesh);
  const double radius = 0.7;
  const PaintedFactors plain;
  SpreadRows rows(graph, radius, plain);
  for (const int seed : {0, 40, 100}) {
    const auto row = rows.row(seed);
    const std::vector<Reached> reached = reach(graph, seed, radius);
    ASSERT_EQ(row->vertices.size(), reached.size());
    EXPECT_EQ(row->vertices[0], seed);
    EXPECT_EQ(row->values[0], 1);
    for (size_t i = 0; i < reached.size(); ++i) {
      EXPECT_EQ(row->vertices[i], reached[i].vertex);
      EXPECT_NEAR(row->values[i], cubic_kernel(reached[i].distance / static_cast<float>(radius)), 1e-6);
      EXPECT_GE(reached[i].distance, (mesh.positions[reached[i].vertex] - mesh.positions[seed]).norm() - 1e-6);
    }
  }
}

TEST(ExamplesEquation11, spreading_is_symmetric) {
  const TetMesh mesh = bar_asset(2).tets;
  const EdgeGraph graph = edge_graph(mesh);
  const PaintedFactors plain;
  SpreadRows rows(graph, 0.9, plain);
  const int vertices = static_cast<int>(mesh.positions.size());
  std::vector<float> table(static_cast<size_t>(vertices) * vertices, 0.0f);
  for (int i = 0; i < vertices; ++i) {
    const auto row = rows.row(i);
    for (size_t k = 0; k < row->vertices.size(); ++k) table[static_cast<size_t>(i) * vertices + row->vertices[k]] = row->values[k];
  }
  for (int i = 0; i < vertices; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_NEAR(table[static_cast<size_t>(i) * vertices + j], table[static_cast<size_t>(j) * vertices + i], 1e-5);
  }
}

TEST(ExamplesEquation13, one_step_moves_its_share_and_keeps_the_rest) {
  std::vector<float> weights = {0.6f, 0.4f, 0.0f}, pending = {-0.2f, 0.1f, 0.1f};
  EXPECT_TRUE(apply_rows(weights, pending, 3, 0.75f));
  const float expected_weights[] = {0.55f, 0.425f, 0.025f}, expected_pending[] = {-0.15f, 0.075f, 0.075f};
  for (size_t e = 0; e < 3; ++e) {
    EXPECT_NEAR(weights[e], expected_weights[e], 1e-6);
    EXPECT_NEAR(pending[e], expected_pending[e], 1e-7);
  }
}

TEST(ExamplesEquation14, the_total_deformation_does_not_depend_on_the_lag) {
  for (const float lag : {0.0f, 0.1f, 0.5f, 0.92f, 0.99f, 0.999f}) {
    std::vector<float> weights = {0.6f, 0.4f, 0.0f}, pending = {-0.2f, 0.1f, 0.1f};
    int steps = 1;
    while (apply_rows(weights, pending, 3, lag) && steps < 100000) ++steps;
    EXPECT_LT(steps, 100000) << "still pending with lag " << lag;
    for (const float left : pending) EXPECT_EQ(left, 0);
    EXPECT_NEAR(weights[0], 0.4, 5e-5) << lag;
    EXPECT_NEAR(weights[1], 0.5, 5e-5) << lag;
    EXPECT_NEAR(weights[2], 0.1, 5e-5) << lag;
  }
}

TEST(ExamplesEquation14, a_small_remainder_is_applied_at_once_so_that_nothing_waits_for_ever) {
  std::vector<float> weights = {0.5f, 0.5f}, pending = {-9e-5f, 9e-5f};
  EXPECT_FALSE(apply_rows(weights, pending, 2, 0.9999f));
  EXPECT_EQ(pending[0], 0);
  EXPECT_EQ(pending[1], 0);
  EXPECT_NEAR(weights[1], 0.5 + 9e-5, 1e-7);
}

TEST(ExamplesEquation13, rows_with_nothing_pending_keep_their_bits) {
  Random random(4);
  std::vector<float> weights, pending(300, 0.0f);
  for (int i = 0; i < 300; ++i) weights.push_back(static_cast<float>(random.unit()));  // need not even be barycentric
  const std::vector<float> before = weights;
  EXPECT_FALSE(apply_rows(weights, pending, 3, 0.5f));
  EXPECT_EQ(weights, before);
}

TEST(ExamplesBarycentric, rows_stay_between_zero_and_one_and_sum_to_one_whatever_hits_them) {
  Random random(5);
  for (int trial = 0; trial < 5000; ++trial) {
    const int examples = 2 + random.below(6);
    std::vector<float> weights(static_cast<size_t>(examples)), pending(static_cast<size_t>(examples));
    float sum = 0;
    for (float& weight : weights) sum += weight = static_cast<float>(random.unit());
    for (float& weight : weights) weight /= sum;
    const double strength = std::pow(10.0, random.range(-6, 12));
    for (float& change : pending) change = static_cast<float>(random.range(-strength, strength));
    const float lag = random.below(4) == 0 ? 0.0f : static_cast<float>(random.unit());
    for (int step = 0; step < 4; ++step) {
      apply_rows(weights, pending, examples, lag);
      float total = 0;
      for (const float weight : weights) {
        ASSERT_GE(weight, 0);
        ASSERT_LE(weight, 1 + 1e-6f);
        total += weight;
      }
      ASSERT_NEAR(total, 1, 1e-5);
    }
  }
}

TEST(ExamplesBarycentric, a_row_pushed_out_on_all_sides_returns_to_rest) {
  std::vector<float> weights = {0.2f, 0.3f, 0.5f}, pending = {-5, -5, -5};
  apply_rows(weights, pending, 3, 0.0f);
  EXPECT_EQ(weights, (std::vector<float>{1, 0, 0}));
}

TEST(ExamplesLag, two_half_steps_fade_like_one_step) {
  for (const double lag : {0.0, 0.3, 0.92, 0.9999}) {
    EXPECT_DOUBLE_EQ(lag_for_step(lag, kReferenceStep), lag);
    EXPECT_NEAR(lag_for_step(lag, kReferenceStep / 2) * lag_for_step(lag, kReferenceStep / 2), lag, 1e-14);
    EXPECT_NEAR(lag_for_step(lag, 3 * kReferenceStep), lag * lag * lag, 1e-14);
  }
}

TEST(ExamplesEquation15, bounciness_is_the_least_of_its_three_terms) {
  Settings settings;
  settings.recover = 2, settings.soften = 300;
  // the body's own value
  EXPECT_EQ(softened_restitution(settings, 0.8, 0.8, 0, 0.01), 0.8);
  // a linear return
  EXPECT_DOUBLE_EQ(softened_restitution(settings, 0.8, 0.3, 0, 0.01), 0.32);
  // the fall with what is pending
  EXPECT_DOUBLE_EQ(softened_restitution(settings, 0.8, 0.8, 0.01, 0.01), 0.8 * std::exp(-3.0));
  EXPECT_DOUBLE_EQ(softened_restitution(settings, 0.8, 0.0, 0.01, 0.01), 0.02);  // the lower of the last two
}

TEST(ExamplesEquation15, bounciness_recovers_linearly_and_never_exceeds_the_bodys_own) {
  Settings settings;
  settings.recover = 1.5;
  double value = softened_restitution(settings, 0.5, 0.5, 1, 0.01);
  EXPECT_LT(value, 1e-100);
  for (int step = 1; step <= 100; ++step) {
    value = softened_restitution(settings, 0.5, value, 0, 0.01);
    EXPECT_NEAR(value, std::min(0.5, 0.015 * step), 1e-12);
  }
  EXPECT_EQ(value, 0.5);
}

}  // namespace
}  // namespace crumple::examples
