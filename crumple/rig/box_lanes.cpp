#include "crumple/rig/box_lanes.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/wide.h"

namespace crumple {
namespace {

using lane::kLanes;

CRUMPLE_WIDE void open_slopes(const double* values, const double* gradient, int rows, int free, double* open, double* greatest) {
  for (int l = 0; l < kLanes; ++l) open[l] = greatest[l] = 0;
  for (int i = 0; i < rows; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      const double slope = gradient[i * kLanes + l], size = slope < 0 ? -slope : slope;
      greatest[l] = size > greatest[l] ? size : greatest[l];
      if (i >= free) continue;
      const double value = values[i * kLanes + l];
      const double low = value <= 0 && slope > 0 ? 0 : size, follow = value >= 1 && slope < 0 ? 0 : low;
      open[l] = follow > open[l] ? follow : open[l];
    }
  }
}

/// Minus the gradient where the row may move.
template <class T>
inline void free_forces(const double* values, const double* gradient, int count, T* force) {
  for (int i = 0; i < count; ++i) {
    const bool stuck = (values[i] <= 0 && gradient[i] >= 0) || (values[i] >= 1 && gradient[i] <= 0);
    force[i] = stuck ? T(0) : static_cast<T>(-gradient[i]);
  }
}
CRUMPLE_WIDE void forces(const double* values, const double* gradient, int count, float* force) {
  free_forces(values, gradient, count, force);
}
CRUMPLE_WIDE void forces(const double* values, const double* gradient, int count, double* force) {
  free_forces(values, gradient, count, force);
}

/// Both directions without rows that may not move, and their slopes.
CRUMPLE_WIDE void restrict_directions(const double* values, const double* gradient, int rows, double* smooth, double* last, double* smooth_slope,
                                      double* last_slope) {
  for (int l = 0; l < kLanes; ++l) smooth_slope[l] = last_slope[l] = 0;
  for (int i = 0; i < rows; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      const int at = i * kLanes + l;
      const double slope = gradient[at];
      const bool stuck = (values[at] <= 0 && slope >= 0) || (values[at] >= 1 && slope <= 0);
      smooth[at] = stuck ? 0.0 : smooth[at];
      last[at] = stuck ? 0.0 : last[at];
      smooth_slope[l] -= slope * smooth[at];
      last_slope[l] -= slope * last[at];
    }
  }
}

/// The step a smooth + b last, which is remembered in `last`, and what of it stays in the box.
CRUMPLE_WIDE void bent_step(const double* values, const double* gradient, const double* smooth, const double* a, const double* b, int rows,
                            double* last, double* move, double* slope) {
  for (int l = 0; l < kLanes; ++l) slope[l] = 0;
  for (int i = 0; i < rows; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      const int at = i * kLanes + l;
      last[at] = a[l] * smooth[at] + b[l] * last[at];
      const double next = values[at] + last[at], low = next > 0 ? next : 0, inside = low < 1 ? low : 1;
      move[at] = inside - values[at];
      slope[l] -= gradient[at] * move[at];
    }
  }
}

CRUMPLE_WIDE void squares(const double* rows, int count, double* sum) {
  for (int l = 0; l < kLanes; ++l) sum[l] = 0;
  for (int i = 0; i < count; ++i) {
    for (int l = 0; l < kLanes; ++l) sum[l] += rows[i * kLanes + l] * rows[i * kLanes + l];
  }
}

CRUMPLE_WIDE void advance(const double* move, const double* length, int rows, double* values) {
  for (int i = 0; i < rows; ++i) {
    for (int l = 0; l < kLanes; ++l) values[i * kLanes + l] += length[l] * move[i * kLanes + l];
  }
}

CRUMPLE_WIDE void clamp(int count, double* values) {
  for (int i = 0; i < count; ++i) {
    const double low = values[i] > 0 ? values[i] : 0;
    values[i] = low < 1 ? low : 1;
  }
}

}  // namespace

template <class T>
BoxLanes<T>::BoxLanes(const SplitEnergy& energy, const SharedInverse<T>& inverse) : energy_(energy), inverse_(inverse) {
  const SparseMatrix& laplacian = energy.laplacian;
  const size_t rows = static_cast<size_t>(laplacian.size);
  for (const double mass : energy.masses) shrink_.push_back(1 / std::sqrt(mass));
  for (size_t i = 0; i < rows; ++i) {
    double diagonal = 0;
    for (int k = laplacian.start[i]; k < laplacian.start[i + 1]; ++k) {
      scaled_.push_back(laplacian.value[k] * shrink_[laplacian.column[k]]);
      diagonal += scaled_.back() * scaled_.back();
    }
    diagonal_step_.push_back(1 / diagonal);
  }
  matrix_ = {laplacian.size,         energy.free,    laplacian.start.data(), laplacian.column.data(),
             laplacian.value.data(), scaled_.data(), shrink_.data(),         diagonal_step_.data()};
  for (Rows* each : {&values_, &bend_, &gradient_, &smooth_, &last_, &move_, &move_bend_}) each->resize(rows * kLanes);
  rounded_.resize(static_cast<size_t>(energy.free) * kLanes);
}

template <class T>
void BoxLanes<T>::refresh() {
  lane::bend_of(matrix_, values_.data(), bend_.data());
}

template <class T>
void BoxLanes<T>::start(const std::vector<std::span<double>>& problems) {
  for (Rows* each : {&values_, &smooth_, &last_, &move_}) std::fill(each->begin(), each->end(), 0.0);
  for (size_t l = 0; l < problems.size(); ++l) {
    for (int i = energy_.free; i < matrix_.rows; ++i) values_[static_cast<size_t>(i) * kLanes + l] = problems[l][i];
  }
  refresh();
  lane::gradient_of(matrix_, bend_.data(), gradient_.data());
  for (size_t i = 0; i < rounded_.size(); ++i) rounded_[i] = static_cast<T>(-gradient_[i]);
  inverse_.apply(rounded_);
  std::copy(rounded_.begin(), rounded_.end(), values_.begin());
  clamp(static_cast<int>(rounded_.size()), values_.data());
  refresh();
}

template <class T>
void BoxLanes<T>::settle() {
  lane::sweep(matrix_, false, values_.data(), bend_.data());
  lane::sweep(matrix_, true, values_.data(), bend_.data());
  lane::gradient_of(matrix_, bend_.data(), gradient_.data());
}

template <class T>
void BoxLanes<T>::measure(double* residuals) const {
  double open[kLanes], greatest[kLanes];
  open_slopes(values_.data(), gradient_.data(), matrix_.rows, matrix_.free, open, greatest);
  for (int l = 0; l < kLanes; ++l) residuals[l] = greatest[l] > 0 ? open[l] / greatest[l] : 0;
}

template <class T>
void BoxLanes<T>::find_direction() {
  forces(values_.data(), gradient_.data(), static_cast<int>(rounded_.size()), rounded_.data());
  inverse_.apply(rounded_);
  std::copy(rounded_.begin(), rounded_.end(), smooth_.begin());
}

template <class T>
void BoxLanes<T>::step() {
  double smooth_slope[kLanes], last_slope[kLanes], ss[kLanes], sl[kLanes], ll[kLanes], a[kLanes], b[kLanes];
  restrict_directions(values_.data(), gradient_.data(), matrix_.free, smooth_.data(), last_.data(), smooth_slope, last_slope);
  lane::products(matrix_, smooth_.data(), last_.data(), ss, sl, ll);
  for (int l = 0; l < kLanes; ++l) {
    const double determinant = ss[l] * ll[l] - sl[l] * sl[l];
    const bool plane = determinant > 1e-10 * ss[l] * ll[l];
    a[l] = plane ? (smooth_slope[l] * ll[l] - last_slope[l] * sl[l]) / determinant : ss[l] > 0 ? smooth_slope[l] / ss[l] : 0;
    b[l] = plane ? (last_slope[l] * ss[l] - smooth_slope[l] * sl[l]) / determinant : 0;
  }
  double slope[kLanes], curve[kLanes], length[kLanes];
  bent_step(values_.data(), gradient_.data(), smooth_.data(), a, b, matrix_.free, last_.data(), move_.data(), slope);
  lane::bend_of(matrix_, move_.data(), move_bend_.data());
  squares(move_bend_.data(), matrix_.rows, curve);
  for (int l = 0; l < kLanes; ++l) length[l] = slope[l] <= 0 ? 0 : slope[l] < curve[l] ? slope[l] / curve[l] : 1;
  advance(move_.data(), length, matrix_.free, values_.data());
  advance(move_bend_.data(), length, matrix_.rows, bend_.data());
}

template <class T>
typename BoxLanes<T>::Outcome BoxLanes<T>::run(const std::vector<std::span<double>>& problems, double residual) {
  constexpr int kMostRounds = 240, kSpell = 12;
  constexpr double kSlow = 0.25;  // hardly falling over a spell: its own factor is the quicker way
  start(problems);
  Outcome outcome{0, std::vector<char>(problems.size(), 0)};
  std::vector<char> slow(problems.size(), 0);
  std::vector<double> before(problems.size(), 1e300);
  const auto keep = [&](size_t l) {
    for (int i = 0; i < energy_.free; ++i) problems[l][i] = values_[static_cast<size_t>(i) * kLanes + l];
  };
  for (int round = 1;; ++round) {
    outcome.rounds = round;
    if (round % kSpell == 0) refresh();
    settle();
    double residuals[kLanes];
    measure(residuals);
    bool going = false;
    for (size_t l = 0; l < problems.size(); ++l) {
      if (outcome.reached[l]) continue;
      if (residuals[l] <= residual) {
        outcome.reached[l] = 1;
        keep(l);
        continue;
      }
      if (round % kSpell == 0) slow[l] = residuals[l] > kSlow * before[l], before[l] = residuals[l];
      going |= !slow[l];
    }
    if (!going || round == kMostRounds) break;
    find_direction();
    step();
  }
  for (size_t l = 0; l < problems.size(); ++l) {
    if (!outcome.reached[l]) keep(l);
  }
  return outcome;
}

template class BoxLanes<float>;
template class BoxLanes<double>;

}  // namespace crumple
