#include "crumple/methods/pieces/block_factor.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include <Eigen/Cholesky>

namespace crumple::pieces {

BlockFactor::BlockFactor(int rows, std::span<const Entry> entries) : order_(static_cast<size_t>(rows)) {
  choose_order(entries);
  gather(entries);
  for (size_t column = 0; column < order_.size(); ++column) eliminate(column);
}

/// Takes the row with the fewest others next, and joins those others, which is what eliminating it does to the matrix.
void BlockFactor::choose_order(std::span<const Entry> entries) {
  const size_t rows = order_.size();
  std::vector<std::vector<int>> joined(rows);
  for (const Entry& entry : entries) {
    if (entry.row == entry.column) continue;
    joined[static_cast<size_t>(entry.row)].push_back(entry.column);
    joined[static_cast<size_t>(entry.column)].push_back(entry.row);
  }
  for (std::vector<int>& list : joined) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  place_.assign(rows, -1);
  std::vector<int> both;
  for (size_t at = 0; at < rows; ++at) {
    size_t next = rows;
    for (size_t row = 0; row < rows; ++row) {
      if (place_[row] < 0 && (next == rows || joined[row].size() < joined[next].size())) next = row;
    }
    order_[at] = static_cast<int>(next);
    place_[next] = static_cast<int>(at);
    for (const int other : joined[next]) {
      std::vector<int>& list = joined[static_cast<size_t>(other)];
      both.clear();
      std::set_union(list.begin(), list.end(), joined[next].begin(), joined[next].end(), std::back_inserter(both));
      std::erase_if(both, [&](int row) { return row == other || row == static_cast<int>(next); });
      list = both;
    }
  }
  start_.assign(1, 0);
  for (const int row : order_) {
    for (const int other : joined[static_cast<size_t>(row)]) below_.push_back(place_[static_cast<size_t>(other)]);
    std::sort(below_.begin() + static_cast<std::ptrdiff_t>(start_.back()), below_.end());
    start_.push_back(below_.size());
  }
}

void BlockFactor::gather(std::span<const Entry> entries) {
  blocks_.assign(below_.size(), Block::Zero());
  inverse_.assign(order_.size(), Block::Zero());
  for (const Entry& entry : entries) {
    const int row = place_[static_cast<size_t>(entry.row)], column = place_[static_cast<size_t>(entry.column)];
    if (row == column) {
      inverse_[static_cast<size_t>(row)] += entry.block;
      continue;
    }
    const auto begin = below_.begin() + static_cast<std::ptrdiff_t>(start_[static_cast<size_t>(std::min(row, column))]);
    const auto end = below_.begin() + static_cast<std::ptrdiff_t>(start_[static_cast<size_t>(std::min(row, column)) + 1]);
    Block& block = blocks_[static_cast<size_t>(std::lower_bound(begin, end, std::max(row, column)) - below_.begin())];
    row > column ? block += entry.block : block += entry.block.transpose();
  }
}

/// Takes what this column does to those after it from them: A_pq -= A_pk D_k^-1 A_qk^T.
void BlockFactor::eliminate(size_t column) {
  inverse_[column] = Eigen::LLT<Block>(inverse_[column]).solve(Block::Identity());
  const size_t begin = start_[column], end = start_[column + 1];
  for (size_t q = begin; q < end; ++q) {
    const Block scaled = blocks_[q] * inverse_[column];
    const size_t target = static_cast<size_t>(below_[q]);
    inverse_[target].noalias() -= scaled * blocks_[q].transpose();
    size_t to = start_[target];
    for (size_t p = q + 1; p < end; ++p, ++to) {
      while (below_[to] != below_[p]) ++to;
      blocks_[to].noalias() -= blocks_[p] * scaled.transpose();
    }
    blocks_[q] = scaled;
  }
}

void BlockFactor::solve(std::span<BlockRow> x) const {
  assert(x.size() == order_.size());
  const auto at = [&](size_t place) -> BlockRow& { return x[static_cast<size_t>(order_[place])]; };
  for (size_t column = 0; column < order_.size(); ++column) {
    const BlockRow value = at(column);
    for (size_t p = start_[column]; p < start_[column + 1]; ++p) at(static_cast<size_t>(below_[p])).noalias() -= blocks_[p] * value;
  }
  for (size_t column = order_.size(); column-- > 0;) {
    BlockRow value = inverse_[column] * at(column);
    for (size_t p = start_[column]; p < start_[column + 1]; ++p) value.noalias() -= blocks_[p].transpose() * at(static_cast<size_t>(below_[p]));
    at(column) = value;
  }
}

}  // namespace crumple::pieces
