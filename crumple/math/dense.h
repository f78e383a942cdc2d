#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Plain dense matrices, row after row. Large ones are of floats and worked on by all threads; small ones are of doubles.
namespace crumple {

struct RowMatrix {
  int rows = 0, columns = 0;
  std::vector<float> values;  // rows x columns

  RowMatrix() = default;
  RowMatrix(int rows_, int columns_) : rows(rows_), columns(columns_), values(static_cast<size_t>(rows_) * static_cast<size_t>(columns_)) {}
  float* row(int r) { return values.data() + static_cast<size_t>(r) * static_cast<size_t>(columns); }
  const float* row(int r) const { return values.data() + static_cast<size_t>(r) * static_cast<size_t>(columns); }
  float& at(int r, int c) { return row(r)[c]; }
  float at(int r, int c) const { return row(r)[c]; }
};

/// a b^T: every row of one with every row of the other.
RowMatrix times_transposed(const RowMatrix& a, const RowMatrix& b);
/// a^T b.
RowMatrix transposed_times(const RowMatrix& a, const RowMatrix& b);
/// c -= a^T b.
void subtract_transposed_times(RowMatrix a, const RowMatrix& b, RowMatrix& c);
/// Makes rows orthonormal; those that depend on the ones before become zero.
void orthonormalize_rows(RowMatrix& a);

/// Cholesky factor in the lower triangle of a symmetric matrix of `size` rows, in place. False if it is not positive definite.
bool cholesky(std::span<double> matrix, int size);
/// Solves for one right-hand side with the leading `used` rows of a factor of `size` rows, in place.
void cholesky_solve(std::span<const double> factor, int size, int used, std::span<double> values);

/// Eigenvectors of a small symmetric matrix as rows, the one of the greatest eigenvalue first. By Jacobi's rotations.
std::vector<double> symmetric_eigenvectors(std::vector<double> matrix, int size);

}  // namespace crumple
