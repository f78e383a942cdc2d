#include "crumple/rig/box_polish.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace crumple {
namespace {

constexpr int kMaxSteps = 300;
constexpr double kNoise = 8 * std::numeric_limits<double>::epsilon();

/// The part of the gradient that could be followed without leaving the box.
double open_slope(double value, double gradient) {
  if (value <= 0) return std::max(0.0, -gradient);
  if (value >= 1) return std::max(0.0, gradient);
  return std::abs(gradient);
}

void multiply(const SparseMatrix& matrix, std::span<const double> values, std::span<double> product) {
  for (int i = 0; i < matrix.size; ++i) {
    double sum = 0;
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k) sum += matrix.value[k] * values[matrix.column[k]];
    product[i] = sum;
  }
}

}  // namespace

BoxPolish::BoxPolish(const OrderedEnergy& energy) : energy_(energy), face_(energy.pattern, energy.matrix), kept_(static_cast<size_t>(energy.free)) {
  const size_t size = static_cast<size_t>(energy.matrix.size);
  for (std::vector<double>* each : {&gradient_, &noise_, &direction_, &trial_, &trial_gradient_}) each->assign(size, 0.0);
}

/// Expects the gradient of `values`.
BoxPolish::Slope BoxPolish::measure(std::span<const double> values) {
  const SparseMatrix& matrix = energy_.matrix;
  double greatest = 0, worst = 0;
  for (int i = 0; i < matrix.size; ++i) {
    greatest = std::max(greatest, std::abs(gradient_[i]));
    if (i >= energy_.free) continue;
    double sum = 0;
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k) sum += std::abs(matrix.value[k]) * values[matrix.column[k]];
    noise_[i] = kNoise * sum;
    const double slope = open_slope(values[i], gradient_[i]);
    if (slope > noise_[i]) worst = std::max(worst, slope);
  }
  return {greatest > 0 ? worst / greatest : 0};
}

void BoxPolish::choose_face(std::span<const double> values, bool first) {
  for (int i = 0; i < energy_.free; ++i) {
    const bool inside = values[i] > 0 && values[i] < 1;
    kept_[i] = inside || (!first && open_slope(values[i], gradient_[i]) > noise_[i]);
  }
}

/// Takes rows out of the face that stand at a bound and would only be pushed against it. True if there were any.
bool BoxPolish::hold_outward(std::span<const double> values) {
  bool any = false;
  for (int i = 0; i < energy_.free; ++i) {
    const bool outward = (values[i] <= 0 && direction_[i] < 0) || (values[i] >= 1 && direction_[i] > 0);
    if (kept_[i] && outward) kept_[i] = 0, any = true;
  }
  return any;
}

bool BoxPolish::find_direction(std::span<const double> values, bool hold_all) {
  if (!face_.solve(kept_, gradient_, direction_)) return false;
  const int most = hold_all ? energy_.free : shortened_ ? 3 : 0;
  for (int again = 0; again < most && hold_outward(values); ++again) {
    if (!face_.solve(kept_, gradient_, direction_)) return false;
  }
  return true;
}

/// Halves the step along the direction, bent at the bounds, until the energy falls enough.
bool BoxPolish::advance(std::span<double> values) {
  std::copy(values.begin(), values.end(), trial_.begin());
  for (double length = 1; length > 1e-6; length *= 0.5) {
    double slope = 0, change = 0, size = 0;
    for (int i = 0; i < energy_.free; ++i) trial_[i] = std::clamp(values[i] + length * direction_[i], 0.0, 1.0);
    multiply(energy_.matrix, trial_, trial_gradient_);
    for (int i = 0; i < energy_.free; ++i) {
      const double step = trial_[i] - values[i];
      slope += gradient_[i] * step;
      change += 0.5 * step * (gradient_[i] + trial_gradient_[i]);
      size += std::abs(step) * noise_[i];
    }
    if (change <= 1e-4 * slope || std::abs(slope) <= size) {
      std::copy(trial_.begin(), trial_.end(), values.begin());
      gradient_.swap(trial_gradient_);
      shortened_ = length < 1;
      return true;
    }
  }
  return false;
}

void BoxPolish::run(std::span<double> values, double residual, BoxReport& report) {
  face_.restart();
  shortened_ = false;
  multiply(energy_.matrix, values, gradient_);
  for (report.steps = 0; report.steps < kMaxSteps; ++report.steps) {
    if (measure(values).worst <= residual) break;
    choose_face(values, report.steps == 0);
    if (!find_direction(values, false)) break;
    if (advance(values)) continue;
    // Rows that cannot move were counted on to move. Without them the direction surely leads down.
    choose_face(values, false);
    if (!find_direction(values, true) || !advance(values)) break;
  }
  report.factorizations = face_.factorizations();
}

}  // namespace crumple
