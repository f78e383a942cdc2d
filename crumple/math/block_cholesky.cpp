#include "crumple/math/block_cholesky.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>

#include "crumple/math/block_kernels.h"

namespace crumple {
namespace {

/// Rows by their degree; the lowest index of the lowest degree comes first.
class Buckets {
 public:
  explicit Buckets(size_t rows) : heaps_(rows + 1) {}

  void put(int row, size_t degree) {
    std::vector<int>& heap = heaps_[degree];
    heap.push_back(row);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
    lowest_ = std::min(lowest_, degree);
  }
  /// A row is put again whenever its degree changes: entries that no longer hold are dropped here.
  template <class IsNow>
  int take(IsNow&& is_now) {
    for (;; ++lowest_) {
      std::vector<int>& heap = heaps_[lowest_];
      while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        const int row = heap.back();
        heap.pop_back();
        if (is_now(row, lowest_)) return row;
      }
    }
  }

 private:
  std::vector<std::vector<int>> heaps_;
  size_t lowest_ = 0;
};

/// The lower triangle of L with the inverse of its diagonal in place of A; nothing above the diagonal is touched.
bool factor_pivot(Mat6& a) {
  for (int j = 0; j < 6; ++j) {
    for (int k = 0; k < j; ++k) {
      const double value = a(j, k);
      for (int i = j; i < 6; ++i) a(i, j) -= a(i, k) * value;
    }
    if (!(a(j, j) > 0) || !std::isfinite(a(j, j))) return false;
    const double inverse = 1 / std::sqrt(a(j, j));
    a(j, j) = inverse;
    for (int i = j + 1; i < 6; ++i) a(i, j) *= inverse;
  }
  return true;
}

void divide(Vec6& x, const Mat6& l) {
  for (int j = 0; j < 6; ++j) {
    x[j] *= l(j, j);
    for (int i = j + 1; i < 6; ++i) x[i] -= l(i, j) * x[j];
  }
}

void divide_by_transpose(Vec6& x, const Mat6& l) {
  for (int j = 6; j-- > 0;) {
    for (int i = j + 1; i < 6; ++i) x[j] -= l(i, j) * x[i];
    x[j] *= l(j, j);
  }
}

}  // namespace

void BlockCholesky::analyze(int rows, std::span<const std::pair<int, int>> links) {
  std::vector<std::vector<int>> joined(static_cast<size_t>(rows));
  for (const auto& [row, column] : links) {
    assert(row >= 0 && row < rows && column >= 0 && column < rows);
    if (row == column) continue;
    joined[static_cast<size_t>(row)].push_back(column);
    joined[static_cast<size_t>(column)].push_back(row);
  }
  for (std::vector<int>& list : joined) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  choose_order(joined);
  pattern_.start.assign(1, 0);
  pattern_.below.clear();
  for (const int row : order_) {
    for (const int other : joined[static_cast<size_t>(row)]) pattern_.below.push_back(place_[static_cast<size_t>(other)]);
    std::sort(pattern_.below.begin() + static_cast<std::ptrdiff_t>(pattern_.start.back()), pattern_.below.end());
    pattern_.start.push_back(pattern_.below.size());
  }
  blocks_.resize(pattern_.below.size());
  pivots_.resize(order_.size());
  set_zero();
}

/// Takes the row with the fewest others next, and joins those others, which is what eliminating it does to the matrix. Leaves in `joined` those that
/// come after each row.
void BlockCholesky::choose_order(std::vector<std::vector<int>>& joined) {
  const size_t rows = joined.size();
  order_.clear();
  place_.assign(rows, -1);
  Buckets buckets(rows);
  for (size_t row = 0; row < rows; ++row) buckets.put(static_cast<int>(row), joined[row].size());
  std::vector<int> both;
  while (order_.size() < rows) {
    const int next = buckets.take(
        [&](int row, size_t degree) { return place_[static_cast<size_t>(row)] < 0 && joined[static_cast<size_t>(row)].size() == degree; });
    place_[static_cast<size_t>(next)] = static_cast<int>(order_.size());
    order_.push_back(next);
    const std::vector<int>& others = joined[static_cast<size_t>(next)];
    for (const int other : others) {
      std::vector<int>& list = joined[static_cast<size_t>(other)];
      both.clear();
      std::set_union(list.begin(), list.end(), others.begin(), others.end(), std::back_inserter(both));
      std::erase_if(both, [&](int row) { return row == other || row == next; });
      if (both.size() != list.size()) buckets.put(other, both.size());
      list.swap(both);
    }
  }
}

BlockCholesky::Slot BlockCholesky::slot(int row, int column) const {
  const int p = place_[static_cast<size_t>(row)], q = place_[static_cast<size_t>(column)];
  const auto begin = pattern_.below.begin() + static_cast<std::ptrdiff_t>(pattern_.start[static_cast<size_t>(std::min(p, q))]);
  const auto end = pattern_.below.begin() + static_cast<std::ptrdiff_t>(pattern_.start[static_cast<size_t>(std::min(p, q)) + 1]);
  const auto found = std::lower_bound(begin, end, std::max(p, q));
  assert(found != end && *found == std::max(p, q));
  return {static_cast<int>(found - pattern_.below.begin()), p < q};
}

void BlockCholesky::set_zero() {
  std::fill(blocks_.begin(), blocks_.end(), Mat6::Zero());
  std::fill(pivots_.begin(), pivots_.end(), Mat6::Zero());
}

bool BlockCholesky::factor() {
  for (size_t column = 0; column < order_.size(); ++column) {
    if (!factor_pivot(pivots_[column])) return false;
    eliminate(pattern_, column, blocks_.data(), pivots_.data());
  }
  return true;
}

void BlockCholesky::solve(std::span<Vec6> x) const {
  assert(x.size() == order_.size());
  const auto at = [&](size_t place) -> Vec6& { return x[static_cast<size_t>(order_[place])]; };
  for (size_t column = 0; column < order_.size(); ++column) {
    Vec6& value = at(column);
    divide(value, pivots_[column]);
    for (size_t p = pattern_.start[column]; p < pattern_.start[column + 1]; ++p)
      at(static_cast<size_t>(pattern_.below[p])).noalias() -= blocks_[p] * value;
  }
  for (size_t column = order_.size(); column-- > 0;) {
    Vec6& value = at(column);
    for (size_t p = pattern_.start[column]; p < pattern_.start[column + 1]; ++p)
      value.noalias() -= blocks_[p].transpose() * at(static_cast<size_t>(pattern_.below[p]));
    divide_by_transpose(value, pivots_[column]);
  }
}

}  // namespace crumple
