#pragma once

#include <span>
#include <utility>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// Which blocks of a factor there are.
struct BlockPattern {
  std::vector<size_t> start;  // #rows + 1: where the blocks of each column begin
  std::vector<int> below;     // their places, ascending, without the diagonal
};

/// A = L L^T of a symmetric positive definite matrix of 6 x 6 blocks, as sparse as the order of least degree leaves it. General sparse factors
/// treat single numbers and take several times as long. The order is found once for a pattern; after that only numbers change.
class BlockCholesky {
 public:
  /// Chooses the order for a matrix with these blocks off its diagonal (row, column in any order, repeated as may be). It depends on nothing but
  /// which blocks there are: what was analyzed before leaves no trace.
  void analyze(int rows, std::span<const std::pair<int, int>> links);

  int rows() const { return static_cast<int>(order_.size()); }
  /// Where the block of a link is kept; `flipped` if it is kept as its transpose. The link must have been named to analyze().
  struct Slot {
    int index = -1;
    bool flipped = false;
  };
  Slot slot(int row, int column) const;

  /// Numbers: set to zero, then added to, then factored. Of the blocks on the diagonal only the lower triangle is read.
  void set_zero();
  Mat6& diagonal(int row) { return pivots_[static_cast<size_t>(place_[static_cast<size_t>(row)])]; }
  Mat6& link(int slot) { return blocks_[static_cast<size_t>(slot)]; }  // of (row, column), or its transpose if flipped
  /// False if a pivot is not positive definite; the factor is then of no use.
  bool factor();
  /// Solves in place.
  void solve(std::span<Vec6> x) const;

  int fill() const { return static_cast<int>(pattern_.below.size()); }  // blocks below the diagonal

 private:
  void choose_order(std::vector<std::vector<int>>& joined);

  std::vector<int> order_;    // the row that comes at each place
  std::vector<int> place_;    // and where each row comes
  BlockPattern pattern_;      // by places
  std::vector<Mat6> blocks_;  // A, then L
  std::vector<Mat6> pivots_;  // A, then the lower triangle of L with the inverse of its diagonal
};

}  // namespace crumple
