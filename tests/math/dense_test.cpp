#include "crumple/math/dense.h"

#include <cmath>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"

namespace crumple {
namespace {

RowMatrix random_matrix(int rows, int columns, int seed) {
  RowMatrix a(rows, columns);
  Random random(static_cast<uint64_t>(seed));
  for (float& value : a.values) value = static_cast<float>(random.range(-1, 1));
  return a;
}

TEST(Dense, products_are_those_of_the_definition) {
  const RowMatrix a = random_matrix(37, 101, 1), b = random_matrix(5, 101, 2), c = random_matrix(37, 205, 3);
  const RowMatrix ab = times_transposed(a, b), ac = transposed_times(a, c);
  RowMatrix left = c;
  const RowMatrix shares = random_matrix(5, 37, 4), directions = random_matrix(5, 205, 5);
  subtract_transposed_times(shares, directions, left);
  for (int r = 0; r < 37; ++r) {
    for (int k = 0; k < 5; ++k) {
      double sum = 0;
      for (int i = 0; i < 101; ++i) sum += double{a.at(r, i)} * b.at(k, i);
      EXPECT_NEAR(ab.at(r, k), sum, 2e-5);
    }
    for (int i = 0; i < 205; ++i) {
      double sum = c.at(r, i);
      for (int k = 0; k < 5; ++k) sum -= double{shares.at(k, r)} * directions.at(k, i);
      EXPECT_NEAR(left.at(r, i), sum, 1e-5);
    }
  }
  for (int i = 0; i < 101; i += 7) {
    for (int j = 0; j < 205; ++j) {
      double sum = 0;
      for (int r = 0; r < 37; ++r) sum += double{a.at(r, i)} * c.at(r, j);
      EXPECT_NEAR(ac.at(i, j), sum, 2e-5);
    }
  }
}

TEST(Dense, products_have_the_same_bits_on_any_number_of_threads) {
  const int before = thread_count();
  const RowMatrix a = random_matrix(300, 12, 1), b = random_matrix(300, 3001, 2);
  set_thread_count(1);
  const RowMatrix one = transposed_times(a, b), dots = times_transposed(b, b);
  set_thread_count(3);
  EXPECT_EQ(transposed_times(a, b).values, one.values);
  EXPECT_EQ(times_transposed(b, b).values, dots.values);
  set_thread_count(before);
}

TEST(Dense, rows_become_orthonormal_and_dependent_ones_zero) {
  RowMatrix a = random_matrix(4, 50, 1);
  for (int c = 0; c < 50; ++c) a.at(2, c) = a.at(0, c) - 2 * a.at(1, c);
  orthonormalize_rows(a);
  const RowMatrix products = times_transposed(a, a);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(products.at(i, j), i == j && i != 2 ? 1 : 0, 1e-5) << i << j;
  }
}

TEST(Dense, a_leading_block_of_a_factor_solves_the_leading_equations) {
  const RowMatrix a = random_matrix(6, 20, 1);
  std::vector<double> matrix(36);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 20; ++k) matrix[static_cast<size_t>(6 * i + j)] += double{a.at(i, k)} * a.at(j, k);
    }
  }
  std::vector<double> factor = matrix;
  ASSERT_TRUE(cholesky(factor, 6));
  for (const int used : {1, 4, 6}) {
    std::vector<double> x = {1, -2, 3, 0.5, 2, -1}, right(6, 0.0);
    for (int i = 0; i < used; ++i) {
      for (int j = 0; j < used; ++j) right[static_cast<size_t>(i)] += matrix[static_cast<size_t>(6 * i + j)] * x[static_cast<size_t>(j)];
    }
    cholesky_solve(factor, 6, used, right);
    for (int i = 0; i < used; ++i) EXPECT_NEAR(right[static_cast<size_t>(i)], x[static_cast<size_t>(i)], 1e-10);
  }
  std::vector<double> indefinite = {1, 2, 2, 1};
  EXPECT_FALSE(cholesky(indefinite, 2));
}

TEST(Dense, eigenvectors_are_sorted_and_diagonalise) {
  const int size = 7;
  std::vector<double> matrix(49);
  const RowMatrix a = random_matrix(size, size, 3);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) matrix[static_cast<size_t>(size * i + j)] = double{a.at(i, j)} + a.at(j, i);
  }
  const std::vector<double> vectors = symmetric_eigenvectors(matrix, size);
  double before = 1e9;
  for (int e = 0; e < size; ++e) {
    const double* v = vectors.data() + size * e;
    std::vector<double> image(static_cast<size_t>(size), 0.0);
    double value = 0, length = 0;
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) image[static_cast<size_t>(i)] += matrix[static_cast<size_t>(size * i + j)] * v[j];
      value += image[static_cast<size_t>(i)] * v[i];
      length += v[i] * v[i];
    }
    EXPECT_NEAR(length, 1, 1e-12);
    for (int i = 0; i < size; ++i) EXPECT_NEAR(image[static_cast<size_t>(i)], value * v[i], 1e-10);
    EXPECT_LE(value, before);
    before = value;
  }
}

}  // namespace
}  // namespace crumple
