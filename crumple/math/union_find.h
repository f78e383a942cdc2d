#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace crumple {

/// Things that belong together; the lowest of them stands for all.
class UnionFind {
 public:
  explicit UnionFind(size_t count) : first_(count) { std::iota(first_.begin(), first_.end(), 0); }
  int of(int one) {
    int& first = first_[static_cast<size_t>(one)];
    while (first != first_[static_cast<size_t>(first)]) first = first_[static_cast<size_t>(first)];
    return first;
  }
  void merge(int a, int b) {
    const auto [low, high] = std::minmax({of(a), of(b)});
    first_[static_cast<size_t>(high)] = low;
  }

 private:
  std::vector<int> first_;
};

}  // namespace crumple
