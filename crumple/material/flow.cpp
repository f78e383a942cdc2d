#include "crumple/material/flow.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

namespace crumple {
namespace {

/// Elastic stretches below this count as flat: their volume is meaningless.
constexpr double kMinStretch = 1e-4;

template <class T>
using Vector = Eigen::Matrix<T, 3, 1>;
template <class T>
using Matrix = Eigen::Matrix<T, 3, 3>;

/// Eq. 10. False for what is inverted, flat or not finite.
template <class T>
bool without_volume(const Vector<T>& stretches, Vector<T>& isochoric) {
  if (!(stretches.minCoeff() >= T(kMinStretch)) || !stretches.allFinite()) return false;
  isochoric = stretches / std::cbrt(stretches[0] * stretches[1] * stretches[2]);
  return isochoric.allFinite();
}

/// Eq. 13.
template <class T>
T share_that_flows(const FlowStep<T>& step, T measure, T strain, T scale) {
  const T limit = std::max(T(0), scale * step.yield + step.hardening * strain);
  if (!(measure > limit)) return 0;
  return std::min(T(1), step.share * (measure - limit) / measure);
}

/// Rounding must not gather: a determinant of 1 is what the inverse relies on.
template <class T>
void restore_volume(Matrix<T>& plastic) {
  plastic /= std::cbrt(plastic.determinant());
}

}  // namespace

Result<void> check_flow(const FlowLaw& law) {
  const auto number = [](const char* name, double value) -> Result<void> {
    if (std::isfinite(value) && value >= 0) return {};
    return input_error(fmt::format("{} is {}: give a number of 0 or more", name, value));
  };
  if (const Result<void> good = number("yield", law.yield); !good) return good;
  if (const Result<void> good = number("flow", law.flow); !good) return good;
  if (!std::isfinite(law.hardening)) return input_error(fmt::format("hardening is {}: give a number", law.hardening));
  if (!(law.flow_time > 0) || !std::isfinite(law.flow_time)) return input_error(fmt::format("flow_time is {} s: give a time above 0", law.flow_time));
  if (!(law.most >= 2) || !(law.most <= 1e4)) return input_error(fmt::format("most is {}: give the greatest stretch to keep, 2 to 10000", law.most));
  return {};
}

template <class T>
FlowStep<T> flow_step(const FlowLaw& law, double dt) {
  assert(dt > 0);
  FlowStep<T> step;
  const bool viscous = law.flow < 1 && dt != law.flow_time;
  step.yield = static_cast<T>(law.yield), step.hardening = static_cast<T>(law.hardening);
  step.share = static_cast<T>(viscous ? -std::expm1(std::log1p(-law.flow) * dt / law.flow_time) : law.flow);
  step.dt = static_cast<T>(dt), step.most = static_cast<T>(law.most);
  return step;
}

template <class T>
T flow_measure(const Vector<T>& stretches) {
  Vector<T> isochoric;
  if (!without_volume(stretches, isochoric)) return std::numeric_limits<T>::infinity();
  return (isochoric - Vector<T>::Ones()).norm();
}

template <class T>
bool flow(const FlowStep<T>& step, const Vector<T>& stretches, const Matrix<T>& axes, Matrix<T>& plastic, T& strain, T scale, T most_share) {
  Vector<T> isochoric;
  if (!(step.share > 0) || !without_volume(stretches, isochoric)) return false;
  const T share = std::min(most_share, share_that_flows(step, (isochoric - Vector<T>::Ones()).norm(), strain, scale));
  strain += step.dt * (stretches - Vector<T>::Ones()).norm();  // eq. 14
  if (!(share > 0)) return false;
  // Eq. 12 with V in front: the paper's form turns Fp by V^T in every step, and last step's rotations would be no guess for this one's.
  const Vector<T> powers = (share * isochoric.array().log()).exp();
  Matrix<T> next = axes * powers.asDiagonal() * axes.transpose() * plastic;
  restore_volume(next);
  const T size = next.squaredNorm();
  if (!(size <= step.most * step.most) && !(size <= plastic.squaredNorm())) return false;  // stretched as far as it goes
  plastic = next;
  return true;
}

template <class T>
T dissipating_share(const Vector<T>& stretches, const Vector<T>& weights) {
  Vector<T> isochoric;
  if (!without_volume(stretches, isochoric)) return 1;
  const Vector<T> logs = isochoric.array().log();
  // Half of what energy falls by as gamma grows.
  const auto fall = [&](T gamma) {
    const Vector<T> kept = (gamma * logs.array()).exp();
    return (weights.array() * (stretches - kept).array() * logs.array() * kept.array()).sum();
  };
  if (fall(1) >= 0) return 1;
  T low = 0, high = 1;
  for (int k = 0; k < 16; ++k) (fall((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  return low;
}

template <class T>
size_t flow(const FlowStep<T>& step, std::span<const Vector<T>> stretches, std::span<const Matrix<T>> axes, std::span<Matrix<T>> plastic,
            std::span<T> strains, std::span<const T> scales) {
  assert(axes.size() == stretches.size() && plastic.size() == stretches.size() && strains.size() == stretches.size());
  assert(scales.empty() || scales.size() == stretches.size());
  size_t flowed = 0;
  for (size_t i = 0; i < stretches.size(); ++i)
    flowed += flow(step, stretches[i], axes[i], plastic[i], strains[i], scales.empty() ? T(1) : scales[i]);
  return flowed;
}

template <class T>
Matrix<T> inverse_plastic(const Matrix<T>& plastic) {
  Matrix<T> inverse;
  inverse.row(0) = plastic.col(1).cross(plastic.col(2)).transpose();
  inverse.row(1) = plastic.col(2).cross(plastic.col(0)).transpose();
  inverse.row(2) = plastic.col(0).cross(plastic.col(1)).transpose();
  return inverse;
}

#define CRUMPLE_FLOW(T)                                                                                                                \
  template FlowStep<T> flow_step(const FlowLaw&, double);                                                                              \
  template T flow_measure(const Vector<T>&);                                                                                           \
  template bool flow(const FlowStep<T>&, const Vector<T>&, const Matrix<T>&, Matrix<T>&, T&, T, T);                                    \
  template T dissipating_share(const Vector<T>&, const Vector<T>&);                                                                    \
  template size_t flow(const FlowStep<T>&, std::span<const Vector<T>>, std::span<const Matrix<T>>, std::span<Matrix<T>>, std::span<T>, \
                       std::span<const T>);                                                                                            \
  template Matrix<T> inverse_plastic(const Matrix<T>&);
CRUMPLE_FLOW(double)
CRUMPLE_FLOW(float)

}  // namespace crumple
