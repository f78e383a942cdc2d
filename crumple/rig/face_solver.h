#pragma once

#include <span>
#include <vector>

#include "crumple/rig/aligned.h"
#include "crumple/rig/sparse_cholesky.h"

namespace crumple {

/// Solves A_FF d = -g_F for one set of rows F after another. The first set is factorised; sets that differ in few rows are reached
/// by bordering that factor with a row for each difference.
class FaceSolver {
 public:
  FaceSolver(const FactorPattern& pattern, const SparseMatrix& matrix);

  /// `kept` marks F; `direction` gets 0 elsewhere. False if A_FF is not positive definite as rounded.
  bool solve(const std::vector<char>& kept, std::span<const double> gradient, std::span<double> direction);
  int factorizations() const { return factorizations_; }
  /// Forgets the factor; its memory stays for the next problem.
  void restart();

 private:
  struct Border {
    int row;
    bool added;  // in F but not factorised; otherwise factorised but not in F
  };
  bool factorize(const std::vector<char>& kept);
  std::vector<Border> borders_of(const std::vector<char>& kept) const;
  void solve_base(const std::vector<Border>& borders, std::span<const double> gradient);
  void fill_lane(int lane, const Border& border);
  std::vector<double> multipliers(const std::vector<Border>& borders, std::span<const double> gradient) const;
  double times_base(int row, const double* column) const;
  const double* column_of(const Border& border) const { return columns_[static_cast<size_t>(slot_[border.row])].data(); }

  const FactorPattern& pattern_;
  const SparseMatrix& matrix_;
  SparseFactor<double> factor_;
  bool ready_ = false;
  int factorizations_ = 0;
  std::vector<char> base_;                     // rows that are factorised
  std::vector<int> slot_;                      // of a row's column below, or -1
  std::vector<std::vector<double>> columns_;   // A_base^-1 times the border's column
  size_t used_columns_ = 0;
  std::vector<double> answer_;                 // A_base^-1 (-g)
  AlignedVector<double> lanes_;
};

}  // namespace crumple
