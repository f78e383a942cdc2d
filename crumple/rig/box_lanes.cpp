#include "crumple/rig/box_lanes.h"

#include <algorithm>
#include <cmath>

namespace crumple {
namespace {

using lane::kLanes;

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
  double energy[kLanes];
  lane::bend_of(matrix_, values_.data(), bend_.data(), energy);
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
  for (size_t i = 0; i < rounded_.size(); ++i) values_[i] = std::clamp(static_cast<double>(rounded_[i]), 0.0, 1.0);
  refresh();
}

template <class T>
void BoxLanes<T>::settle() {
  lane::sweep(matrix_, false, values_.data(), bend_.data());
  lane::sweep(matrix_, true, values_.data(), bend_.data());
  lane::gradient_of(matrix_, bend_.data(), gradient_.data());
}

template <class T>
void BoxLanes<T>::measure(double* residuals) {
  double open[kLanes], greatest[kLanes];
  lane::find_forces(matrix_, values_.data(), gradient_.data(), rounded_.data(), open, greatest);
  for (int l = 0; l < kLanes; ++l) residuals[l] = greatest[l] > 0 ? open[l] / greatest[l] : 0;
}

template <class T>
void BoxLanes<T>::step() {
  double smooth_slope[kLanes], last_slope[kLanes], ss[kLanes], sl[kLanes], ll[kLanes], a[kLanes], b[kLanes];
  lane::restrict_directions(matrix_, values_.data(), gradient_.data(), rounded_.data(), smooth_.data(), last_.data(), smooth_slope, last_slope);
  lane::products(matrix_, smooth_.data(), last_.data(), ss, sl, ll);
  for (int l = 0; l < kLanes; ++l) {
    const double determinant = ss[l] * ll[l] - sl[l] * sl[l];
    const bool plane = determinant > 1e-10 * ss[l] * ll[l];
    a[l] = plane ? (smooth_slope[l] * ll[l] - last_slope[l] * sl[l]) / determinant : ss[l] > 0 ? smooth_slope[l] / ss[l] : 0;
    b[l] = plane ? (last_slope[l] * ss[l] - smooth_slope[l] * sl[l]) / determinant : 0;
  }
  double slope[kLanes], curve[kLanes], length[kLanes];
  lane::bend_into_box(matrix_, values_.data(), gradient_.data(), smooth_.data(), a, b, last_.data(), move_.data(), slope);
  lane::bend_of(matrix_, move_.data(), move_bend_.data(), curve);
  for (int l = 0; l < kLanes; ++l) length[l] = slope[l] <= 0 ? 0 : slope[l] < curve[l] ? slope[l] / curve[l] : 1;
  lane::advance(move_.data(), length, matrix_.free, values_.data());
  lane::advance(move_bend_.data(), length, matrix_.rows, bend_.data());
}

template <class T>
typename BoxLanes<T>::Outcome BoxLanes<T>::run(const std::vector<std::span<double>>& problems, double residual) {
  constexpr int kMaxRounds = 240, kSpell = 12;
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
    if (!going || round == kMaxRounds) break;
    inverse_.apply(rounded_);
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
