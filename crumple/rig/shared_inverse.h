#pragma once

#include <span>
#include <vector>

#include "crumple/rig/sparse_cholesky.h"

namespace crumple {

/// The energy Q = K M^-1 K in elimination order, the free rows first, scaled so that single precision holds it.
struct SplitEnergy {
  SparseMatrix laplacian;      // K
  std::vector<double> masses;  // M
  int free = 0;
  std::vector<int> order;  // entry i names the old row
};

/// More fixed rows than this and the factor of Q itself is the cheaper one.
inline constexpr int kMaxFixedToSplit = 256;

/// Applies the inverse of Q without its fixed rows to many right-hand sides at once. All problems share it. Single precision will do
/// unless the body is badly graded.
///
/// With few fixed rows Q is never factorised: its free block is K' M'^-1 K' + C N^-1 C^T, where K' and M' are K and M without the
/// fixed rows, N the masses of those and C the part of K that joins both. K' fills in far less than Q, and the rest has low rank.
template <class T>
class SharedInverse {
 public:
  static constexpr int kLanes = 16;
  /// False if the matrix is not positive definite as rounded. `whole` is Q in the same order, needed for many fixed rows only.
  bool build(const SplitEnergy& energy, const SparseMatrix* whole);
  /// In place: #free rows, kLanes each.
  void apply(std::span<T> lanes) const;

 private:
  void apply_split(std::span<T> lanes) const;
  void build_border(const SplitEnergy& energy);
  void solve_border_columns(std::vector<double>& columns) const;
  void solve(std::span<T> lanes) const;

  SparseFactor<T> factor_;
  bool split_ = false;
  int free_ = 0, fixed_ = 0;
  std::vector<T> masses_;        // #free
  std::vector<int> join_start_;  // #fixed + 1: rows of C^T
  std::vector<int> join_column_;
  std::vector<T> join_value_;
  std::vector<T> border_;  // #free x #fixed: R^-1 C (N + C^T R^-1 C)^-1 with R = K' M'^-1 K'
};

extern template class SharedInverse<float>;
extern template class SharedInverse<double>;

}  // namespace crumple
