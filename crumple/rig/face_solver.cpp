#include "crumple/rig/face_solver.h"

#include <algorithm>

#include <Eigen/LU>

namespace crumple {
namespace {

constexpr int kLanes = SparseFactor<double>::kLanes;
/// More differences than this cost more than a new factor.
constexpr size_t kMaxBorders = 96, kMaxColumns = 192;

}  // namespace

FaceSolver::FaceSolver(const FactorPattern& pattern, const SparseMatrix& matrix) : pattern_(pattern), matrix_(matrix) {
  const size_t size = static_cast<size_t>(pattern.size);
  answer_.resize(size);
  lanes_.resize(size * kLanes);
  slot_.assign(size, -1);
}

void FaceSolver::restart() {
  ready_ = false;
  factorizations_ = 0;
}

bool FaceSolver::factorize(const std::vector<char>& kept) {
  base_ = kept;
  std::fill(slot_.begin(), slot_.end(), -1);
  used_columns_ = 0;
  ++factorizations_;
  ready_ = factor_.factorize(pattern_, matrix_, base_, 0);
  return ready_;
}

std::vector<FaceSolver::Border> FaceSolver::borders_of(const std::vector<char>& kept) const {
  std::vector<Border> borders;
  for (int i = 0; i < pattern_.size; ++i) {
    if (kept[i] != base_[i]) borders.push_back({i, kept[i] != 0});
  }
  return borders;
}

void FaceSolver::fill_lane(int lane, const Border& border) {
  if (!border.added) {
    lanes_[static_cast<size_t>(border.row) * kLanes + lane] = 1;
    return;
  }
  for (int k = matrix_.start[border.row]; k < matrix_.start[border.row + 1] && matrix_.column[k] < pattern_.size; ++k) {
    const int column = matrix_.column[k];
    if (base_[column]) lanes_[static_cast<size_t>(column) * kLanes + lane] = matrix_.value[k];
  }
}

/// The right-hand side itself and columns of borders not met before, kLanes at a time.
void FaceSolver::solve_base(const std::vector<Border>& borders, std::span<const double> gradient) {
  std::vector<Border> missing;
  for (const Border& border : borders) {
    if (slot_[border.row] < 0) missing.push_back(border);
  }
  for (size_t next = 0, round = 0; round == 0 || next < missing.size(); ++round) {
    std::fill(lanes_.begin(), lanes_.end(), 0.0);
    int lane = 0;
    if (round == 0) {
      for (int i = 0; i < pattern_.size; ++i) {
        if (base_[i]) lanes_[static_cast<size_t>(i) * kLanes] = -gradient[i];
      }
      lane = 1;
    }
    const size_t begin = next;
    const int first_lane = lane;
    for (; lane < kLanes && next < missing.size(); ++lane, ++next) fill_lane(lane, missing[next]);
    factor_.solve(lanes_);
    if (round == 0) {
      for (int i = 0; i < pattern_.size; ++i) answer_[i] = lanes_[static_cast<size_t>(i) * kLanes];
    }
    for (size_t k = begin; k < next; ++k) {
      if (used_columns_ == columns_.size()) columns_.emplace_back(static_cast<size_t>(pattern_.size));
      slot_[missing[k].row] = static_cast<int>(used_columns_);
      std::vector<double>& column = columns_[used_columns_++];
      const size_t at = static_cast<size_t>(first_lane) + (k - begin);
      for (int i = 0; i < pattern_.size; ++i) column[i] = lanes_[static_cast<size_t>(i) * kLanes + at];
    }
  }
}

double FaceSolver::times_base(int row, const double* column) const {
  double sum = 0;
  for (int k = matrix_.start[row]; k < matrix_.start[row + 1] && matrix_.column[k] < pattern_.size; ++k) {
    if (base_[matrix_.column[k]]) sum += matrix_.value[k] * column[matrix_.column[k]];
  }
  return sum;
}

/// The border's unknowns from its Schur complement: the direction of added rows, the forces that hold removed ones.
std::vector<double> FaceSolver::multipliers(const std::vector<Border>& borders, std::span<const double> gradient) const {
  const int count = static_cast<int>(borders.size());
  Eigen::MatrixXd schur(count, count);
  Eigen::VectorXd right(count);
  for (int a = 0; a < count; ++a) {
    const auto [row, added] = borders[a];
    for (int b = 0; b < count; ++b) schur(a, b) = added ? -times_base(row, column_of(borders[b])) : -column_of(borders[b])[row];
    right[a] = added ? -gradient[row] - times_base(row, answer_.data()) : -answer_[row];
    if (!added) continue;
    for (int b = 0; b < count; ++b) {
      if (!borders[b].added) continue;
      const auto begin = matrix_.column.begin() + matrix_.start[row], end = matrix_.column.begin() + matrix_.start[row + 1];
      const auto found = std::lower_bound(begin, end, borders[b].row);
      if (found != end && *found == borders[b].row) schur(a, b) += matrix_.value[found - matrix_.column.begin()];
    }
  }
  const Eigen::VectorXd solution = schur.partialPivLu().solve(right);
  return {solution.data(), solution.data() + count};
}

bool FaceSolver::solve(const std::vector<char>& kept, std::span<const double> gradient, std::span<double> direction) {
  std::vector<Border> borders;
  if (ready_) borders = borders_of(kept);
  if (!ready_ || borders.size() > kMaxBorders || used_columns_ + borders.size() > kMaxColumns) {
    if (!factorize(kept)) return false;
    borders.clear();
  }
  solve_base(borders, gradient);
  for (int i = 0; i < pattern_.size; ++i) direction[i] = base_[i] ? answer_[i] : 0;
  if (borders.empty()) return true;
  const std::vector<double> unknowns = multipliers(borders, gradient);
  for (size_t b = 0; b < borders.size(); ++b) {
    const double* column = column_of(borders[b]);
    for (int i = 0; i < pattern_.size; ++i) {
      if (base_[i]) direction[i] -= unknowns[b] * column[i];
    }
  }
  for (size_t b = 0; b < borders.size(); ++b) direction[borders[b].row] = borders[b].added ? unknowns[b] : 0;
  return true;
}

}  // namespace crumple
