#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace crumple {

/// Disjoint sets of numbers; the lowest of a set stands for all of it.
class UnionFind {
 public:
  explicit UnionFind(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int of(int one) {
    while (parent(one) != one) one = parent(one) = parent(parent(one));
    return one;
  }
  void merge(int a, int b) {
    const auto [low, high] = std::minmax({of(a), of(b)});
    parent(high) = low;
  }

 private:
  int& parent(int one) { return parent_[static_cast<size_t>(one)]; }
  std::vector<int> parent_;
};

}  // namespace crumple
