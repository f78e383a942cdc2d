#pragma once

#include <span>
#include <vector>

#include "crumple/rig/biharmonic.h"
#include "crumple/rig/dense_kernels.h"

namespace crumple {

/// An order of the first `count` rows of a matrix that keeps its Cholesky factor sparse (approximate minimum degree, then the
/// elimination tree from its leaves up), the other rows behind them as they were. Entry i names the old row.
std::vector<int> elimination_order(const SparseMatrix& matrix, const std::vector<char>& eliminated);

/// The matrix with rows and columns in a new order.
SparseMatrix reordered(const SparseMatrix& matrix, const std::vector<int>& order);

/// Which columns of the factor are treated as one (a node), and the rows below that they share. Valid for the leading block
/// itself and for each of its sub-blocks, whose lists are these lists without what is left out.
struct FactorPattern {
  int size = 0;                // of the leading block
  std::vector<int> first;      // #nodes + 1: columns of each node
  std::vector<int> row_start;  // #nodes + 1, into rows
  std::vector<int> rows;       // ascending
  std::vector<int> parent;     // #nodes: -1 for a root; children come first
  int nodes() const { return static_cast<int>(parent.size()); }
};
/// For a matrix that is in elimination order.
FactorPattern factor_pattern(const SparseMatrix& matrix, int size);

/// A Cholesky factor of A + shift diag(A), where A is the block of the matrix's rows and columns that are kept.
template <class T>
class SparseFactor {
 public:
  static constexpr int kLanes = sizeof(T) == 4 ? dense::kFloatLanes : dense::kDoubleLanes;

  /// False if the block is not positive definite in this precision. `kept` has one entry for each row of the pattern.
  bool factorize(const FactorPattern& pattern, const SparseMatrix& matrix, const std::vector<char>& kept, double shift);
  /// Solves for kLanes right-hand sides at once, in place: row after row, kLanes each. Rows not kept are left alone.
  void solve(std::span<T> lanes) const;

 private:
  struct Node {
    int height, pivots;          // of its panel, with padding
    int columns, rows;           // without
    size_t panel, index;         // where its panel and its row numbers begin
  };
  Node shape_node(const FactorPattern& pattern, int node, const std::vector<char>& kept);
  void assemble(const Node& node, const SparseMatrix& matrix, const std::vector<char>& kept, double shift);
  void add_child(const Node& child, const T* update, const Node& node);
  void keep_update(const Node& node);

  std::vector<Node> nodes_;
  std::vector<int> index_;       // per node: its columns, then the rows below
  std::vector<T> panels_;
  int tallest_ = 0;
  // scratch of factorize, kept from one factorisation to the next
  std::vector<T> front_;
  std::vector<T> stack_;         // updates of nodes whose parent has not come yet
  size_t stack_top_ = 0;
  std::vector<size_t> update_at_;
  std::vector<int> place_;       // of a row in the front
};

extern template class SparseFactor<float>;
extern template class SparseFactor<double>;

}  // namespace crumple
