#include "crumple/rig/sparse_cholesky.h"

#include "crumple/rig/aligned.h"

#include <algorithm>

namespace crumple {
namespace {

int rounded_up(int count, int step) {
  return (count + step - 1) / step * step;
}

}  // namespace

template <class T>
typename SparseFactor<T>::Node SparseFactor<T>::shape_node(const FactorPattern& pattern, int node, const std::vector<char>& kept) {
  Node shape{};
  shape.index = index_.size();
  for (int j = pattern.first[node]; j < pattern.first[node + 1]; ++j) {
    if (kept[j]) index_.push_back(j);
  }
  shape.columns = static_cast<int>(index_.size() - shape.index);
  for (int k = pattern.row_start[node]; k < pattern.row_start[node + 1]; ++k) {
    if (kept[pattern.rows[k]]) index_.push_back(pattern.rows[k]);
  }
  shape.rows = static_cast<int>(index_.size() - shape.index) - shape.columns;
  shape.pivots = rounded_up(shape.columns, dense::kPivotTile);
  shape.height = rounded_up(shape.pivots + shape.rows, dense::kRowTile);
  shape.panel = nodes_.empty() ? 0 : nodes_.back().panel + static_cast<size_t>(nodes_.back().height) * nodes_.back().pivots;
  return shape;
}

template <class T>
void SparseFactor<T>::assemble(const Node& node, const SparseMatrix& matrix, const std::vector<char>& kept, double shift) {
  const size_t height = static_cast<size_t>(node.height);
  for (size_t c = 0; c < height; ++c) std::fill(&front_[c * height + c], front_.data() + (c + 1) * height, T(0));
  for (int i = 0; i < node.columns; ++i) place_[index_[node.index + i]] = i;
  for (int i = 0; i < node.rows; ++i) place_[index_[node.index + node.columns + i]] = node.pivots + i;
  const int size = static_cast<int>(kept.size());
  for (int c = 0; c < node.columns; ++c) {
    const int column = index_[node.index + c];
    T* to = &front_[c * height];
    const auto begin = matrix.column.begin() + matrix.start[column], end = matrix.column.begin() + matrix.start[column + 1];
    for (auto row = std::lower_bound(begin, end, column); row != end && *row < size; ++row) {
      const double value = matrix.value[row - matrix.column.begin()];
      if (kept[*row]) to[place_[*row]] = static_cast<T>(*row == column ? value * (1 + shift) : value);
    }
  }
  for (int c = node.columns; c < node.pivots; ++c) front_[c * height + c] = 1;  // padding
}

template <class T>
void SparseFactor<T>::add_child(const Node& child, const T* update, const Node& node) {
  const int* rows = &index_[child.index + child.columns];
  for (int j = 0; j < child.rows; ++j) {
    T* to = &front_[static_cast<size_t>(place_[rows[j]]) * node.height];
    const T* from = update + static_cast<size_t>(j) * child.rows;
    for (int i = j; i < child.rows; ++i) to[place_[rows[i]]] += from[i];
  }
}

template <class T>
void SparseFactor<T>::keep_update(const Node& node) {
  const size_t at = stack_top_;
  stack_top_ += static_cast<size_t>(node.rows) * node.rows;
  if (stack_.size() < stack_top_) stack_.resize(stack_top_);
  for (int j = 0; j < node.rows; ++j) {
    const T* from = &front_[static_cast<size_t>(node.pivots + j) * node.height + node.pivots];
    std::copy(from + j, from + node.rows, &stack_[at + static_cast<size_t>(j) * node.rows + j]);
  }
}

template <class T>
bool SparseFactor<T>::factorize(const FactorPattern& pattern, const SparseMatrix& matrix, const std::vector<char>& kept, double shift) {
  nodes_.clear();
  index_.clear();
  stack_top_ = 0;
  tallest_ = 0;
  for (int s = 0; s < pattern.nodes(); ++s) {
    nodes_.push_back(shape_node(pattern, s, kept));
    tallest_ = std::max(tallest_, nodes_.back().height);
  }
  if (nodes_.empty()) return true;
  panels_.resize(nodes_.back().panel + static_cast<size_t>(nodes_.back().height) * nodes_.back().pivots);
  front_.resize(std::max(front_.size(), static_cast<size_t>(tallest_) * tallest_));
  place_.resize(static_cast<size_t>(pattern.size));
  update_at_.assign(nodes_.size(), 0);
  std::vector<std::vector<int>> children(nodes_.size());
  for (int s = 0; s < pattern.nodes(); ++s) {
    const Node& node = nodes_[s];
    assemble(node, matrix, kept, shift);
    for (const int child : children[s]) add_child(nodes_[child], &stack_[update_at_[child]], node);
    if (!children[s].empty()) stack_top_ = update_at_[children[s].front()];  // children lie on top, the first one lowest
    if (!dense::eliminate(front_.data(), node.height, node.pivots, panels_.data() + node.panel)) return false;
    update_at_[s] = stack_top_;
    if (pattern.parent[s] < 0 || node.rows == 0) continue;
    keep_update(node);
    children[pattern.parent[s]].push_back(s);
  }
  return true;
}

template <class T>
void SparseFactor<T>::solve(std::span<T> lanes) const {
  AlignedVector<T> whole(static_cast<size_t>(tallest_) * kLanes), part(static_cast<size_t>(tallest_) * kLanes);
  const auto row = [&](int index) { return lanes.data() + static_cast<size_t>(index) * kLanes; };
  for (const Node& node : nodes_) {
    const int* index = index_.data() + node.index;
    for (int i = 0; i < node.columns; ++i) std::copy_n(row(index[i]), kLanes, &part[static_cast<size_t>(i) * kLanes]);
    std::fill(part.begin() + node.columns * kLanes, part.begin() + node.pivots * kLanes, T(0));
    dense::multiply(panels_.data() + node.panel, node.height, node.pivots, part.data(), whole.data());
    for (int i = 0; i < node.columns; ++i) std::copy_n(&whole[static_cast<size_t>(i) * kLanes], kLanes, row(index[i]));
    for (int i = 0; i < node.rows; ++i) {
      T* to = row(index[node.columns + i]);
      const T* from = &whole[static_cast<size_t>(node.pivots + i) * kLanes];
      for (int l = 0; l < kLanes; ++l) to[l] += from[l];
    }
  }
  for (size_t s = nodes_.size(); s-- > 0;) {
    const Node& node = nodes_[s];
    const int* index = index_.data() + node.index;
    for (int i = 0; i < node.columns; ++i) std::copy_n(row(index[i]), kLanes, &whole[static_cast<size_t>(i) * kLanes]);
    std::fill(whole.begin() + node.columns * kLanes, whole.begin() + node.pivots * kLanes, T(0));
    T* below = &whole[static_cast<size_t>(node.pivots) * kLanes];
    for (int i = 0; i < node.rows; ++i) std::copy_n(row(index[node.columns + i]), kLanes, below + static_cast<size_t>(i) * kLanes);
    std::fill(below + static_cast<size_t>(node.rows) * kLanes, whole.data() + static_cast<size_t>(node.height) * kLanes, T(0));
    dense::multiply_transposed(panels_.data() + node.panel, node.height, node.pivots, whole.data(), part.data());
    for (int i = 0; i < node.columns; ++i) std::copy_n(&part[static_cast<size_t>(i) * kLanes], kLanes, row(index[i]));
  }
}

template class SparseFactor<float>;
template class SparseFactor<double>;

}  // namespace crumple
