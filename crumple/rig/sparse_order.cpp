#include <algorithm>
#include <numeric>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "crumple/rig/sparse_cholesky.h"

namespace crumple {
namespace {

/// Approximate minimum degree order of the rows listed.
std::vector<int> minimum_degree(const SparseMatrix& matrix, const std::vector<int>& rows) {
  if (rows.empty()) return {};
  std::vector<int> local(static_cast<size_t>(matrix.size), -1);
  for (size_t i = 0; i < rows.size(); ++i) local[rows[i]] = static_cast<int>(i);
  Eigen::SparseMatrix<double> block(static_cast<int>(rows.size()), static_cast<int>(rows.size()));
  std::vector<int> lengths(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) lengths[i] = matrix.start[rows[i] + 1] - matrix.start[rows[i]];
  block.reserve(lengths);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int k = matrix.start[rows[i]]; k < matrix.start[rows[i] + 1]; ++k) {
      if (local[matrix.column[k]] >= 0) block.insertBackByOuterInnerUnordered(static_cast<int>(i), local[matrix.column[k]]) = 1;
    }
  }
  block.makeCompressed();
  Eigen::AMDOrdering<int>::PermutationType permutation;
  Eigen::AMDOrdering<int>()(block, permutation);
  std::vector<int> order(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order[i] = rows[permutation.indices()[static_cast<int>(i)]];
  return order;
}

/// The parent of each column in the elimination tree. [Liu 1990]
std::vector<int> elimination_tree(const SparseMatrix& matrix, const std::vector<int>& order) {
  const int size = static_cast<int>(order.size());
  std::vector<int> place(static_cast<size_t>(matrix.size), size), parent(order.size(), -1), ancestor(order.size(), -1);
  for (int i = 0; i < size; ++i) place[order[i]] = i;
  for (int i = 0; i < size; ++i) {
    for (int k = matrix.start[order[i]]; k < matrix.start[order[i] + 1]; ++k) {
      for (int j = place[matrix.column[k]]; j < i && j >= 0;) {
        const int next = ancestor[j];
        ancestor[j] = i;
        if (next < 0) parent[j] = i;
        j = next;
      }
    }
  }
  return parent;
}

/// Columns in an order where every subtree is consecutive.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int size = static_cast<int>(parent.size());
  std::vector<int> child(parent.size(), -1), sibling(parent.size(), -1), order, stack;
  for (int i = size - 1; i >= 0; --i) {
    if (parent[i] >= 0) sibling[i] = child[parent[i]], child[parent[i]] = i;
  }
  for (int root = 0; root < size; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int top = stack.back();
      if (child[top] >= 0) {
        stack.push_back(child[top]);
        child[top] = sibling[child[top]];
      } else {
        order.push_back(top);
        stack.pop_back();
      }
    }
  }
  return order;
}

/// Entries in each column of the factor, by walking each row's subtree.
std::vector<int> column_counts(const SparseMatrix& matrix, const std::vector<int>& parent) {
  const int size = static_cast<int>(parent.size());
  std::vector<int> counts(parent.size(), 1), seen(parent.size(), -1);
  for (int i = 0; i < size; ++i) {
    seen[i] = i;
    for (int k = matrix.start[i]; k < matrix.start[i + 1] && matrix.column[k] < i; ++k) {
      for (int j = matrix.column[k]; seen[j] != i; j = parent[j]) seen[j] = i, ++counts[j];
    }
  }
  return counts;
}

struct MergedNode {
  int first, last;  // columns
  double rows;      // below
  double zeros;     // stored for nothing
  double columns() const { return last - first + 1; }
  double stored() const { return columns() * (columns() + 1) / 2 + columns() * rows; }
};

/// A node and its last child become one where that stores few zeros: wide nodes make long inner loops.
bool worth_merging(const MergedNode& merged) {
  const double share = merged.zeros / merged.stored(), columns = merged.columns();
  return columns <= 4 || (columns <= 16 && share < 0.3) || (columns <= 48 && share < 0.1) || share < 0.02;
}

std::vector<MergedNode> merged_nodes(const std::vector<int>& parent, const std::vector<int>& counts) {
  std::vector<MergedNode> nodes;
  for (int j = 0; j < static_cast<int>(parent.size()); ++j) {
    MergedNode node{j, j, counts[j] - 1.0, 0};
    while (!nodes.empty() && parent[nodes.back().last] >= node.first && parent[nodes.back().last] <= node.last) {
      const MergedNode& child = nodes.back();
      MergedNode both{child.first, node.last, node.rows, 0};
      both.zeros = both.stored() - (child.stored() - child.zeros) - (node.stored() - node.zeros);
      if (both.zeros > 0 && !worth_merging(both)) break;
      node = both;
      nodes.pop_back();
    }
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

std::vector<int> elimination_order(const SparseMatrix& matrix, const std::vector<char>& eliminated) {
  std::vector<int> rows, rest;
  for (int i = 0; i < matrix.size; ++i) (eliminated[i] ? rows : rest).push_back(i);
  const std::vector<int> order = minimum_degree(matrix, rows);
  std::vector<int> result;
  for (const int i : postorder(elimination_tree(matrix, order))) result.push_back(order[i]);
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

SparseMatrix reordered(const SparseMatrix& matrix, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  SparseMatrix result;
  result.size = matrix.size;
  result.start.assign(order.size() + 1, 0);
  result.column.resize(matrix.column.size());
  result.value.resize(matrix.value.size());
  for (size_t i = 0; i < order.size(); ++i) result.start[i + 1] = result.start[i] + matrix.start[order[i] + 1] - matrix.start[order[i]];
  // The matrix is symmetric: handing out row after row as columns leaves every row sorted.
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (size_t i = 0; i < order.size(); ++i) {
    for (int k = matrix.start[order[i]]; k < matrix.start[order[i] + 1]; ++k) {
      const int to = next[place[matrix.column[k]]]++;
      result.column[to] = static_cast<int>(i);
      result.value[to] = matrix.value[k];
    }
  }
  return result;
}

FactorPattern factor_pattern(const SparseMatrix& matrix, int size) {
  std::vector<int> leading(static_cast<size_t>(size));
  std::iota(leading.begin(), leading.end(), 0);
  const std::vector<int> tree = elimination_tree(matrix, leading);
  const std::vector<MergedNode> nodes = merged_nodes(tree, column_counts(matrix, tree));

  FactorPattern pattern;
  pattern.size = size;
  pattern.row_start.push_back(0);
  std::vector<int> node_of(leading.size()), seen(leading.size(), -1);
  std::vector<std::vector<int>> children(nodes.size());
  for (size_t s = 0; s < nodes.size(); ++s) {
    const int first = nodes[s].first, last = nodes[s].last;
    pattern.first.push_back(first);
    std::fill(node_of.begin() + first, node_of.begin() + last + 1, static_cast<int>(s));
    const size_t begin = pattern.rows.size();
    const auto add = [&](int row) {
      if (row > last && row < size && seen[row] != static_cast<int>(s)) seen[row] = static_cast<int>(s), pattern.rows.push_back(row);
    };
    for (int j = first; j <= last; ++j) {
      for (int k = matrix.start[j]; k < matrix.start[j + 1]; ++k) add(matrix.column[k]);
    }
    for (const int child : children[s]) {
      for (int k = pattern.row_start[child]; k < pattern.row_start[child + 1]; ++k) add(pattern.rows[k]);
    }
    std::sort(pattern.rows.begin() + static_cast<long>(begin), pattern.rows.end());
    pattern.row_start.push_back(static_cast<int>(pattern.rows.size()));
    const int above = tree[last];
    int parent = -1;
    if (above >= 0) {
      parent = static_cast<int>(std::partition_point(nodes.begin(), nodes.end(), [&](const MergedNode& n) { return n.last < above; }) - nodes.begin());
      children[parent].push_back(static_cast<int>(s));
    }
    pattern.parent.push_back(parent);
  }
  pattern.first.push_back(size);
  return pattern;
}

}  // namespace crumple
