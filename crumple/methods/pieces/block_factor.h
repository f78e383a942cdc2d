#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple::pieces {

using Block = Eigen::Matrix<double, 6, 6>;
using BlockRow = Eigen::Matrix<double, 6, 1>;

/// A = L D L^T of a symmetric positive definite matrix of 6 x 6 blocks, as sparse as the order of least degree leaves it. General sparse factors
/// treat single numbers and take several times as long.
class BlockFactor {
 public:
  struct Entry {
    int row, column;  // row >= column
    Block block;
  };
  /// Entries of one place are added up.
  BlockFactor(int rows, std::span<const Entry> entries);

  int rows() const { return static_cast<int>(order_.size()); }
  /// Solves in place.
  void solve(std::span<BlockRow> x) const;

 private:
  void choose_order(std::span<const Entry> entries);
  void gather(std::span<const Entry> entries);
  void eliminate(size_t column);

  std::vector<int> order_;      // the row that comes at each place
  std::vector<int> place_;      // and where each row comes
  std::vector<size_t> start_;   // #rows + 1: where the blocks of each column begin
  std::vector<int> below_;      // their places, ascending, without the diagonal
  std::vector<Block> blocks_;   // L
  std::vector<Block> inverse_;  // of D, #rows
};

}  // namespace crumple::pieces
