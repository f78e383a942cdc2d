#include "crumple/geometry/shape_basis.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/math/dense.h"

namespace crumple {
namespace {

constexpr int kOversampling = 4;     // directions that are searched beside those that are kept
constexpr int kIterations = 2;       // of the search; more hardly save a target
constexpr int kLargeBlock = 8, kSmallBlock = 4;
constexpr double kCoarse = 8;        // tolerances: while the rows are farther off, targets are found in large blocks
constexpr double kNegligible = 1.0 / 64;  // tolerances: smaller moves are left out
constexpr float kRoom = 2.02f;       // targets are this much larger than their largest weight needs, which leaves room for raise_weights
constexpr size_t kRowGrain = 32, kVertexGrain = 512;

/// What the targets so far leave over, on the vertices that are still off.
struct Remainder {
  std::vector<int> vertices;  // ascending
  RowMatrix moves;            // #rows x 3 #vertices
  std::vector<uint8_t> off;   // #rows: whether a vertex is off in this row
  double worst = 0;           // metres
};

float squared_length(const float* move) {
  return move[0] * move[0] + move[1] * move[1] + move[2] * move[2];
}

/// Distances of each vertex in its worst row, and of each row at its worst vertex; squared.
struct Distances {
  std::vector<float> vertex, row;
};
Distances distances_of(const RowMatrix& moves) {
  Distances distances{std::vector<float>(at(moves.columns / 3), 0), std::vector<float>(at(moves.rows), 0)};
  parallel_for(distances.vertex.size(), kVertexGrain, [&](size_t begin, size_t end) {
    for (int r = 0; r < moves.rows; ++r) {
      for (size_t v = begin; v < end; ++v) distances.vertex[v] = std::max(distances.vertex[v], squared_length(moves.row(r) + 3 * v));
    }
  });
  parallel_for(distances.row.size(), kRowGrain, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      const float* row = moves.row(static_cast<int>(r));
      for (int c = 0; c < moves.columns; c += 3) distances.row[r] = std::max(distances.row[r], squared_length(row + c));
    }
  });
  return distances;
}

RowMatrix matrix_of(const ShapeRows& rows) {
  RowMatrix matrix(rows.count(), 3 * rows.vertices);
  for (size_t i = 0; i < rows.moves.size(); ++i) std::copy_n(rows.moves[i].data(), 3, matrix.values.data() + 3 * i);
  return matrix;
}

Remainder start(const ShapeRows& rows) {
  Remainder left;
  for (int v = 0; v < rows.vertices; ++v) left.vertices.push_back(v);
  left.moves = matrix_of(rows);
  left.off.assign(at(rows.count()), 1);
  return left;
}

void keep_vertices(const std::vector<int>& kept, Remainder& left) {
  RowMatrix moves(left.moves.rows, 3 * static_cast<int>(kept.size()));
  parallel_for(at(moves.rows), kRowGrain, [&](size_t begin, size_t end) {
    for (int r = static_cast<int>(begin); r < static_cast<int>(end); ++r) {
      for (size_t k = 0; k < kept.size(); ++k) std::copy_n(left.moves.row(r) + 3 * kept[k], 3, moves.row(r) + 3 * k);
    }
  });
  left.moves = std::move(moves);
  for (size_t k = 0; k < kept.size(); ++k) left.vertices[k] = left.vertices[at(kept[k])];
  left.vertices.resize(kept.size());
}

/// Forgets vertices that are near enough in all rows. False if none is left.
bool drop_settled(Remainder& left, double tolerance) {
  const Distances distances = distances_of(left.moves);
  const auto limit = static_cast<float>(tolerance * tolerance);
  std::vector<int> kept;
  for (size_t v = 0; v < left.vertices.size(); ++v) {
    if (distances.vertex[v] > limit) kept.push_back(static_cast<int>(v));
  }
  left.worst = 0;
  for (size_t r = 0; r < left.off.size(); ++r) {
    left.off[r] = distances.row[r] > limit;
    left.worst = std::max(left.worst, std::sqrt(double{distances.row[r]}));
  }
  if (kept.size() < left.vertices.size()) keep_vertices(kept, left);
  return !kept.empty();
}

void forget_settled_rows(const std::vector<uint8_t>& off, RowMatrix& shares) {
  for (int r = 0; r < shares.rows; ++r) {
    if (!off[at(r)]) std::fill_n(shares.row(r), shares.columns, 0.0f);
  }
}

/// The `count` orthonormal combinations of `directions` along which the rows differ the most.
RowMatrix best_combinations(const RowMatrix& moves, const RowMatrix& directions, int count) {
  const RowMatrix along = times_transposed(moves, directions);
  const int size = directions.rows;
  std::vector<double> gram(at(size * size), 0.0);
  for (int r = 0; r < along.rows; ++r) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) gram[at(i * size + j)] += double{along.at(r, i)} * along.at(r, j);
    }
  }
  const std::vector<double> sorted = symmetric_eigenvectors(gram, size);
  RowMatrix shares(size, std::min(count, size));
  for (int k = 0; k < shares.columns; ++k) {
    for (int i = 0; i < size; ++i) shares.at(i, k) = static_cast<float>(sorted[at(k * size + i)]);
  }
  return transposed_times(shares, directions);
}

/// Directions along which the rows that are off differ the most, orthonormal, at most `count`.
RowMatrix leading_directions(const Remainder& left, int count) {
  RowMatrix shares(left.moves.rows, std::min({count + kOversampling, left.moves.rows, left.moves.columns}));
  Random random(1);
  for (float& share : shares.values) share = static_cast<float>(random.range(-1, 1));
  RowMatrix directions;
  for (int pass = 0; pass <= kIterations; ++pass) {
    if (pass > 0) shares = times_transposed(left.moves, directions);
    forget_settled_rows(left.off, shares);
    directions = transposed_times(shares, left.moves);
    orthonormalize_rows(directions);
  }
  return best_combinations(left.moves, directions, count);
}

/// Rounds moves, and leaves out those that are too small to matter.
void round_moves(const ShapeBasisSettings& settings, std::span<float> moves) {
  const auto unit = static_cast<float>(settings.unit), negligible = static_cast<float>(std::max(kNegligible * settings.tolerance, 0.5 * settings.unit));
  for (size_t c = 0; c < moves.size(); c += 3) {
    const bool is_small = squared_length(&moves[c]) < negligible * negligible;
    for (size_t k = c; k < c + 3; ++k) moves[k] = is_small ? 0.0f : unit > 0 ? std::round(moves[k] / unit) * unit : moves[k];
  }
}

void scale_row(float scale, RowMatrix& a, int r) {
  for (int c = 0; c < a.columns; ++c) a.at(r, c) *= scale;
}

/// Scales directions so that their weights reach from at most -0.5 to 0.5.
void scale_directions(const RowMatrix& moves, RowMatrix& directions) {
  const RowMatrix along = times_transposed(moves, directions);
  for (int k = 0; k < directions.rows; ++k) {
    float low = 0, high = 0;
    for (int r = 0; r < along.rows; ++r) {
      low = std::min(low, along.at(r, k));
      high = std::max(high, along.at(r, k));
    }
    scale_row(kRoom * (-low > high ? low : high), directions, k);
  }
}

/// The direction of the row that is off the most: progress where principal directions round to nothing.
RowMatrix worst_row(const Remainder& left) {
  const Distances distances = distances_of(left.moves);
  const auto worst = static_cast<int>(std::max_element(distances.row.begin(), distances.row.end()) - distances.row.begin());
  RowMatrix row(1, left.moves.columns);
  std::copy_n(left.moves.row(worst), row.columns, row.row(0));
  orthonormalize_rows(row);
  return row;
}

bool is_zero_row(const RowMatrix& a, int r) {
  return std::all_of(a.row(r), a.row(r) + a.columns, [](float v) { return v == 0; });
}

void remove_row(RowMatrix& a, int r) {
  const auto begin = a.values.begin() + static_cast<std::ptrdiff_t>(at(r) * at(a.columns));
  a.values.erase(begin, begin + a.columns);
  --a.rows;
}

/// Weights of the targets with which they come nearest to each row: #targets x #rows. False if the targets depend on each other.
bool find_weights(const RowMatrix& moves, const RowMatrix& targets, RowMatrix& weights) {
  const int count = targets.rows;
  const RowMatrix products = times_transposed(targets, targets), along = times_transposed(moves, targets);
  std::vector<double> factor(products.values.begin(), products.values.end());
  if (!cholesky(factor, count)) return false;
  weights = RowMatrix(count, moves.rows);
  std::vector<double> values(at(count));
  for (int r = 0; r < moves.rows; ++r) {
    for (int k = 0; k < count; ++k) values[at(k)] = along.at(r, k);
    cholesky_solve(factor, count, count, values);
    for (int k = 0; k < count; ++k) weights.at(k, r) = static_cast<float>(values[at(k)]);
  }
  return true;
}

float largest_weight(const RowMatrix& weights, int target) {
  float most = 0;
  for (int r = 0; r < weights.columns; ++r) most = std::max(most, std::abs(weights.at(target, r)));
  return most;
}

/// Targets with the weights that suit the remainder.
struct Fitted {
  RowMatrix targets, weights;
};

/// Targets along directions. Rounding makes some of them smaller, and weights larger: those are scaled again. Empty if they are no use.
Fitted fit_targets(const Remainder& left, const ShapeBasisSettings& settings, RowMatrix directions) {
  constexpr int kTries = 4;
  Fitted fitted;
  for (int tries = 0; tries < kTries; ++tries) {
    fitted.targets = directions;
    for (int k = 0; k < directions.rows; ++k) round_moves(settings, {fitted.targets.row(k), at(directions.columns)});
    for (int k = directions.rows - 1; k >= 0; --k) {
      if (!is_zero_row(fitted.targets, k)) continue;
      remove_row(fitted.targets, k);
      remove_row(directions, k);
    }
    if (directions.rows == 0 || !find_weights(left.moves, fitted.targets, fitted.weights)) return {};
    bool fits = true;
    for (int k = 0; k < directions.rows; ++k) {
      const float most = largest_weight(fitted.weights, k);
      if (most <= 0.5f) continue;
      scale_row(kRoom * most, directions, k);
      fits = false;
    }
    if (fits) return fitted;
  }
  return {};
}

ShapeTarget target_of(std::span<const float> moves, const std::vector<int>& vertices) {
  ShapeTarget target;
  for (size_t v = 0; v < vertices.size(); ++v) {
    const Vec3f move(moves[3 * v], moves[3 * v + 1], moves[3 * v + 2]);
    if (move.isZero(0)) continue;
    target.vertices.push_back(vertices[v]);
    target.moves.push_back(move);
  }
  return target;
}

/// Adds targets along directions, and takes what they give at their best weights from the remainder. False if they are no use.
bool add_targets(RowMatrix directions, const ShapeBasisSettings& settings, Remainder& left, ShapeBasis& basis, std::vector<std::vector<float>>& all_weights) {
  scale_directions(left.moves, directions);
  const Fitted fitted = fit_targets(left, settings, std::move(directions));
  if (fitted.targets.rows == 0) return false;
  subtract_transposed_times(fitted.weights, fitted.targets, left.moves);
  for (int k = 0; k < fitted.targets.rows; ++k) {
    basis.targets.push_back(target_of({fitted.targets.row(k), at(fitted.targets.columns)}, left.vertices));
    all_weights.emplace_back(fitted.weights.row(k), fitted.weights.row(k) + fitted.weights.columns);
  }
  for (const int v : left.vertices) basis.levels[at(v)] = static_cast<int>(basis.targets.size());
  return true;
}

}  // namespace

ShapeBasis find_shape_basis(const ShapeRows& rows, const ShapeBasisSettings& settings) {
  assert(settings.tolerance > 2 * settings.unit);
  ShapeBasis basis;
  basis.levels.assign(at(rows.vertices), 0);
  Remainder left = start(rows);
  std::vector<std::vector<float>> weights;
  double before = 1e300;
  while (drop_settled(left, settings.tolerance)) {
    const bool goes_on = left.worst < 0.99 * before;
    before = left.worst;
    const int block = left.worst > kCoarse * settings.tolerance ? kLargeBlock : kSmallBlock;
    if (goes_on && add_targets(leading_directions(left, block), settings, left, basis, weights)) continue;
    if (!add_targets(worst_row(left), settings, left, basis, weights)) break;
  }
  basis.weights.resize(at(left.moves.rows) * weights.size());
  for (size_t k = 0; k < weights.size(); ++k) {
    for (size_t r = 0; r < weights[k].size(); ++r) basis.weights[r * weights.size() + k] = weights[k][r];
  }
  return basis;
}

std::vector<std::vector<Vec3f>> fit_to_weights(const ShapeBasis& basis, const ShapeRows& rows, const std::vector<int>& levels) {
  constexpr double kRidge = 1e-4;  // of the mean square: weights that hardly differ must not give opposite giants
  const auto count = static_cast<int>(basis.targets.size());
  std::vector<std::vector<Vec3f>> fitted(basis.targets.size(), std::vector<Vec3f>(at(rows.vertices), Vec3f::Zero()));
  if (count == 0) return fitted;
  RowMatrix weights(rows.count(), count);
  weights.values = basis.weights;
  const RowMatrix products = transposed_times(weights, weights);
  std::vector<double> factor(products.values.begin(), products.values.end());
  double trace = 0;
  for (int k = 0; k < count; ++k) trace += factor[at(k * count + k)];
  for (int k = 0; k < count; ++k) factor[at(k * count + k)] += kRidge * trace / count;
  if (!cholesky(factor, count)) return fitted;  // its leading blocks are factors for fewer targets
  const RowMatrix sums = transposed_times(weights, matrix_of(rows));
  parallel_for(at(rows.vertices), 64, [&](size_t begin, size_t end) {
    std::vector<double> values(at(count));
    for (size_t i = 3 * begin; i < 3 * end; ++i) {
      const int level = levels[i / 3];
      for (int k = 0; k < level; ++k) values[at(k)] = sums.at(k, static_cast<int>(i));
      cholesky_solve(factor, count, level, values);
      for (int k = 0; k < level; ++k) fitted[at(k)][i / 3][static_cast<int>(i % 3)] = static_cast<float>(values[at(k)]);
    }
  });
  return fitted;
}

CounterTarget raise_weights(ShapeBasis& basis) {
  CounterTarget counter;
  const size_t targets = basis.targets.size();
  if (targets == 0) return counter;
  const size_t rows = basis.weights.size() / targets;
  for (size_t k = 0; k < targets; ++k) {
    float least = 0;
    for (size_t r = 0; r < rows; ++r) least = std::min(least, basis.weights[r * targets + k]);
    if (least < 0) counter.targets.push_back(static_cast<int>(k));
  }
  if (counter.targets.empty()) return counter;
  counter.weights.assign(rows, 0);
  for (size_t r = 0; r < rows; ++r) {
    float& raise = counter.weights[r];
    for (const int k : counter.targets) raise = std::max(raise, -basis.weights[r * targets + at(k)]);
    for (const int k : counter.targets) basis.weights[r * targets + at(k)] += raise;
  }
  return counter;
}

}  // namespace crumple
