#include "crumple/math/dense.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/wide.h"

namespace crumple {
namespace {

constexpr int kLanes = 16;  // sums run side by side, so that they are the same for registers of any width
constexpr size_t kRowGrain = 16, kColumnGrain = 512;

CRUMPLE_WIDE float dot(const float* a, const float* b, int count) {
  float sums[kLanes] = {};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) sums[k] += a[i + k] * b[i + k];
  }
  for (; i < count; ++i) sums[i % kLanes] += a[i] * b[i];
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

constexpr int kBlock = 32;  // columns whose sums stay in registers

/// out[c] += sum over r of scales[r * step] b[r * stride + c], for `count` columns.
CRUMPLE_WIDE void add_rows(const float* scales, int step, int rows, const float* b, size_t stride, float* out, int count) {
  for (int first = 0; first + kBlock <= count; first += kBlock) {
    float sums[kBlock];
    for (int c = 0; c < kBlock; ++c) sums[c] = out[first + c];
    for (int r = 0; r < rows; ++r) {
      const float scale = scales[r * step];
      const float* row = b + static_cast<size_t>(r) * stride + first;
      for (int c = 0; c < kBlock; ++c) sums[c] += scale * row[c];
    }
    for (int c = 0; c < kBlock; ++c) out[first + c] = sums[c];
  }
  for (int c = count / kBlock * kBlock; c < count; ++c) {
    for (int r = 0; r < rows; ++r) out[c] += scales[r * step] * b[static_cast<size_t>(r) * stride + static_cast<size_t>(c)];
  }
}

CRUMPLE_WIDE void add_scaled(float scale, const float* a, float* b, int count) {
  for (int i = 0; i < count; ++i) b[i] += scale * a[i];
}

}  // namespace

RowMatrix times_transposed(const RowMatrix& a, const RowMatrix& b) {
  assert(a.columns == b.columns);
  RowMatrix product(a.rows, b.rows);
  parallel_for(at(a.rows), kRowGrain, [&](size_t begin, size_t end) {
    for (int r = static_cast<int>(begin); r < static_cast<int>(end); ++r) {
      for (int k = 0; k < b.rows; ++k) product.at(r, k) = dot(a.row(r), b.row(k), a.columns);
    }
  });
  return product;
}

RowMatrix transposed_times(const RowMatrix& a, const RowMatrix& b) {
  assert(a.rows == b.rows);
  RowMatrix product(a.columns, b.columns);
  parallel_for(at(b.columns), kColumnGrain, [&](size_t begin, size_t end) {
    for (int k = 0; k < a.columns; ++k) {
      add_rows(a.values.data() + k, a.columns, a.rows, b.values.data() + begin, at(b.columns), product.row(k) + begin, static_cast<int>(end - begin));
    }
  });
  return product;
}

void subtract_transposed_times(RowMatrix a, const RowMatrix& b, RowMatrix& c) {
  assert(a.rows == b.rows && a.columns == c.rows && b.columns == c.columns);
  for (float& value : a.values) value = -value;
  parallel_for(at(c.rows), kRowGrain, [&](size_t begin, size_t end) {
    for (int r = static_cast<int>(begin); r < static_cast<int>(end); ++r) {
      add_rows(a.values.data() + r, a.columns, a.rows, b.values.data(), at(b.columns), c.row(r), c.columns);
    }
  });
}

void orthonormalize_rows(RowMatrix& a) {
  for (int i = 0; i < a.rows; ++i) {
    const float before = std::sqrt(dot(a.row(i), a.row(i), a.columns));
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < i; ++j) add_scaled(-dot(a.row(i), a.row(j), a.columns), a.row(j), a.row(i), a.columns);
    }
    const float after = std::sqrt(dot(a.row(i), a.row(i), a.columns));
    const float scale = after > 1e-5f * before && after > 0 ? 1 / after : 0.0f;
    for (int c = 0; c < a.columns; ++c) a.at(i, c) *= scale;
  }
}

bool cholesky(std::span<double> matrix, int size) {
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = matrix[at(i * size + j)];
      for (int k = 0; k < j; ++k) sum -= matrix[at(i * size + k)] * matrix[at(j * size + k)];
      if (i == j && !(sum > 0)) return false;
      matrix[at(i * size + j)] = i == j ? std::sqrt(sum) : sum / matrix[at(j * size + j)];
    }
  }
  return true;
}

void cholesky_solve(std::span<const double> factor, int size, int used, std::span<double> values) {
  for (int i = 0; i < used; ++i) {
    for (int k = 0; k < i; ++k) values[at(i)] -= factor[at(i * size + k)] * values[at(k)];
    values[at(i)] /= factor[at(i * size + i)];
  }
  for (int i = used - 1; i >= 0; --i) {
    for (int k = i + 1; k < used; ++k) values[at(i)] -= factor[at(k * size + i)] * values[at(k)];
    values[at(i)] /= factor[at(i * size + i)];
  }
}

std::vector<double> symmetric_eigenvectors(std::vector<double> m, int size) {
  constexpr int kSweeps = 30;
  const auto turn = [&](std::vector<double>& rows, int p, int q, double c, double s) {
    for (int k = 0; k < size; ++k) {
      const double a = rows[at(p * size + k)], b = rows[at(q * size + k)];
      rows[at(p * size + k)] = c * a - s * b;
      rows[at(q * size + k)] = s * a + c * b;
    }
  };
  std::vector<double> vectors(at(size * size), 0.0);
  for (int i = 0; i < size; ++i) vectors[at(i * size + i)] = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double off = 0, all = 0;
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) (i == j ? all : off) += m[at(i * size + j)] * m[at(i * size + j)];
    }
    if (!(off > 1e-28 * all)) break;
    for (int p = 0; p < size; ++p) {
      for (int q = p + 1; q < size; ++q) {
        const double coupling = m[at(p * size + q)];
        if (coupling == 0) continue;
        const double theta = (m[at(q * size + q)] - m[at(p * size + p)]) / (2 * coupling);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1)), c = 1 / std::sqrt(t * t + 1), s = t * c;
        turn(m, p, q, c, s);
        for (int k = 0; k < size; ++k) {
          const double a = m[at(k * size + p)], b = m[at(k * size + q)];
          m[at(k * size + p)] = c * a - s * b;
          m[at(k * size + q)] = s * a + c * b;
        }
        turn(vectors, p, q, c, s);
      }
    }
  }
  std::vector<int> order(at(size));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return m[at(a * size + a)] > m[at(b * size + b)]; });
  std::vector<double> sorted;
  for (const int i : order) sorted.insert(sorted.end(), vectors.begin() + i * size, vectors.begin() + (i + 1) * size);
  return sorted;
}

}  // namespace crumple
