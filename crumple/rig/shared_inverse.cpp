#include "crumple/rig/shared_inverse.h"

#include <algorithm>

#include "crumple/rig/aligned.h"
#include "crumple/rig/flush_tiny.h"

#include <Eigen/Cholesky>

namespace crumple {
namespace {

constexpr int kLanes = SharedInverse<float>::kLanes;

template <class T>
void scale_rows(const std::vector<T>& factors, T* lanes) {
  for (size_t i = 0; i < factors.size(); ++i) {
    for (int l = 0; l < kLanes; ++l) lanes[i * kLanes + l] *= factors[i];
  }
}

}  // namespace

template <class T>
bool SharedInverse<T>::build(const SplitEnergy& energy, const SparseMatrix* whole) {
  const FlushTiny flush;
  free_ = energy.free;
  fixed_ = energy.laplacian.size - energy.free;
  split_ = whole == nullptr;
  const SparseMatrix& matrix = split_ ? energy.laplacian : *whole;
  const std::vector<char> all(static_cast<size_t>(free_), 1);
  if (!factor_.factorize(factor_pattern(matrix, free_), matrix, all, 0)) return false;
  if (split_) build_border(energy);
  return true;
}

/// The factor takes fewer lanes at a time in double precision.
template <class T>
void SharedInverse<T>::solve(std::span<T> lanes) const {
  constexpr int kPart = SparseFactor<T>::kLanes;
  if constexpr (kPart == kLanes) {
    factor_.solve(lanes);
  } else {
    AlignedVector<T> part(static_cast<size_t>(free_) * kPart);
    for (int first = 0; first < kLanes; first += kPart) {
      for (int i = 0; i < free_; ++i) std::copy_n(&lanes[static_cast<size_t>(i) * kLanes + first], kPart, &part[static_cast<size_t>(i) * kPart]);
      factor_.solve(part);
      for (int i = 0; i < free_; ++i) std::copy_n(&part[static_cast<size_t>(i) * kPart], kPart, &lanes[static_cast<size_t>(i) * kLanes + first]);
    }
  }
}

/// R^-1 C, column after column.
template <class T>
void SharedInverse<T>::solve_border_columns(std::vector<double>& columns) const {
  const size_t rows = static_cast<size_t>(free_);
  std::vector<T> lanes(rows * kLanes);
  for (int first = 0; first < fixed_; first += kLanes) {
    const int here = std::min(kLanes, fixed_ - first);
    std::fill(lanes.begin(), lanes.end(), T(0));
    for (int l = 0; l < here; ++l) {
      for (int k = join_start_[first + l]; k < join_start_[first + l + 1]; ++k)
        lanes[static_cast<size_t>(join_column_[k]) * kLanes + l] = join_value_[k];
    }
    solve(lanes);
    scale_rows(masses_, lanes.data());
    solve(lanes);
    for (int l = 0; l < here; ++l) {
      for (size_t i = 0; i < rows; ++i) columns[static_cast<size_t>(first + l) * rows + i] = lanes[i * kLanes + l];
    }
  }
}

template <class T>
void SharedInverse<T>::build_border(const SplitEnergy& energy) {
  const SparseMatrix& laplacian = energy.laplacian;
  masses_.assign(energy.masses.begin(), energy.masses.begin() + free_);
  join_start_.assign(1, 0);
  for (int h = free_; h < laplacian.size; ++h) {
    for (int k = laplacian.start[h]; k < laplacian.start[h + 1] && laplacian.column[k] < free_; ++k) {
      join_column_.push_back(laplacian.column[k]);
      join_value_.push_back(static_cast<T>(laplacian.value[k]));
    }
    join_start_.push_back(static_cast<int>(join_column_.size()));
  }
  std::vector<double> columns(static_cast<size_t>(free_) * static_cast<size_t>(fixed_));
  solve_border_columns(columns);
  Eigen::MatrixXd core(fixed_, fixed_);
  for (int a = 0; a < fixed_; ++a) {
    for (int b = 0; b < fixed_; ++b) {
      double sum = a == b ? energy.masses[free_ + a] : 0;
      for (int k = join_start_[a]; k < join_start_[a + 1]; ++k)
        sum += join_value_[k] * columns[static_cast<size_t>(b) * static_cast<size_t>(free_) + join_column_[k]];
      core(a, b) = sum;
    }
  }
  const Eigen::Map<const Eigen::MatrixXd> wide(columns.data(), free_, fixed_);
  const Eigen::MatrixXd inverse = (0.5 * (core + core.transpose())).llt().solve(Eigen::MatrixXd::Identity(fixed_, fixed_));
  const Eigen::MatrixXd border = wide * inverse;
  border_.assign(static_cast<size_t>((free_ + 3) / 4 * 4) * static_cast<size_t>(fixed_), T(0));
  for (int k = 0; k < fixed_; ++k) {
    for (int i = 0; i < free_; ++i)
      border_[static_cast<size_t>(i / 4) * 4 * static_cast<size_t>(fixed_) + static_cast<size_t>(k) * 4 + i % 4] = static_cast<T>(border(i, k));
  }
}

template <class T>
void SharedInverse<T>::apply_split(std::span<T> lanes) const {
  solve(lanes);
  scale_rows(masses_, lanes.data());
  solve(lanes);
  AlignedVector<T> forces(static_cast<size_t>(fixed_) * kLanes, T(0));
  for (int h = 0; h < fixed_; ++h) {
    for (int k = join_start_[h]; k < join_start_[h + 1]; ++k) {
      for (int l = 0; l < kLanes; ++l)
        forces[static_cast<size_t>(h) * kLanes + l] += join_value_[k] * lanes[static_cast<size_t>(join_column_[k]) * kLanes + l];
    }
  }
  dense::subtract_product(border_.data(), free_, fixed_, forces.data(), lanes.data());
}

template <class T>
void SharedInverse<T>::apply(std::span<T> lanes) const {
  const FlushTiny flush;
  split_ ? apply_split(lanes) : solve(lanes);
}

template class SharedInverse<float>;
template class SharedInverse<double>;

}  // namespace crumple
