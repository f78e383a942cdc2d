#include "crumple/methods/examples/kernels.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>


namespace crumple::examples {
namespace {

constexpr double kNothing = 1e-8;       // epsilon of paper 1, section 3.2.1
constexpr float kRemainder = 1e-4f;     // of an example weight: less than a tenth of a millimetre for a pose that moves a metre
constexpr double kSmallestSingular = 0.05;  // of the largest; smaller ones are not inverted in eq. 9

/// J^+ dx = J^T (J J^T)^+ dx, with weak directions left out.
Vec3 pseudo_inverse_direction(std::span<const Vec3> jacobian, const Vec3& dx) {
  Mat3 square = Mat3::Zero();
  for (const Vec3& column : jacobian) square += column * column.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(square);
  const double largest = eigen.eigenvalues()[2];
  Vec3 result = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const double value = eigen.eigenvalues()[i];
    if (value <= kSmallestSingular * kSmallestSingular * largest || value <= kNothing * kNothing) continue;
    result += eigen.eigenvectors().col(i) * (eigen.eigenvectors().col(i).dot(dx) / value);
  }
  return result;
}

}  // namespace

double effective_yield(double yield, double dt) {
  return yield * std::max(1.0, dt / kReferenceStep);
}

double excess_share(double speed_change, double yield, double dt) {
  const double threshold = effective_yield(yield, dt);
  return speed_change > threshold ? (speed_change - threshold) / speed_change : 0.0;
}

void project(Rule rule, double gain, std::span<const Vec3> jacobian, const Vec3& dx, std::span<double> change) {
  const Vec3 along = rule == Rule::PseudoInverse ? pseudo_inverse_direction(jacobian, dx) : dx;
  double squared = 0;
  for (size_t e = 0; e < change.size(); ++e) {
    change[e] = jacobian[e].dot(along);  // J^T dx
    squared += change[e] * change[e];
  }
  double factor = gain;
  if (rule == Rule::Direction) {
    const double length = std::sqrt(squared);
    // The paper's test on |J^T dx|, made independent of how small dx is.
    factor = length > kNothing * dx.norm() ? gain * dx.norm() / length : 0.0;
  }
  for (double& value : change) value *= factor;
}

double lag_for_step(double lag, double dt) {
  return std::pow(lag, dt / kReferenceStep);
}

namespace {

/// One row; the number of examples is known when compiling for the usual small ones, so that the loops vanish.
template <int kExamples>
[[gnu::always_inline]] inline float apply_row(float* e, float* d, int given, float lag) {
  const int examples = kExamples > 0 ? kExamples : given;
  float largest = 0;
  for (int k = 0; k < examples; ++k) largest = std::max(largest, std::abs(d[k]));
  if (largest == 0) return 0;
  const bool last = largest < kRemainder;
  const float now = last ? 1.0f : 1.0f - lag, left = last ? 0.0f : lag;
  float sum = 0;
  for (int k = 0; k < examples; ++k) {
    e[k] = std::max(0.0f, e[k] + now * d[k]);
    d[k] *= left;
    sum += e[k];
  }
  if (sum < 1e-4f) {  // pushed out of the simplex on all sides: back to rest
    std::fill(e, e + examples, 0.0f);
    e[0] = 1;
  } else {
    const float scale = 1 / sum;
    for (int k = 0; k < examples; ++k) e[k] *= scale;
  }
  return largest * left;
}

template <int kExamples>
float apply_all(float* e, float* d, size_t size, int examples, float lag) {
  float largest = 0;
  for (size_t row = 0; row < size; row += static_cast<size_t>(examples)) largest = std::max(largest, apply_row<kExamples>(e + row, d + row, examples, lag));
  return largest;
}

}  // namespace

float apply_rows(std::span<float> weights, std::span<float> pending, int examples, float lag) {
  float *e = weights.data(), *d = pending.data();
  switch (examples) {
    case 2: return apply_all<2>(e, d, weights.size(), examples, lag);
    case 3: return apply_all<3>(e, d, weights.size(), examples, lag);
    case 4: return apply_all<4>(e, d, weights.size(), examples, lag);
    case 5: return apply_all<5>(e, d, weights.size(), examples, lag);
    case 6: return apply_all<6>(e, d, weights.size(), examples, lag);
    case 7: return apply_all<7>(e, d, weights.size(), examples, lag);
    case 8: return apply_all<8>(e, d, weights.size(), examples, lag);
    default: return apply_all<0>(e, d, weights.size(), examples, lag);
  }
}

double pending_norm(const Model& model, const State& state) {
  const size_t stride = static_cast<size_t>(model.body->skin.examples) * Skin::kLanes;
  double squared = 0;
  for (size_t block = 0; block < state.active.size(); ++block) {
    if (!state.active[block]) continue;
    const size_t end = std::min((block + 1) * stride, state.pending.size());
    for (size_t i = block * stride; i < end; ++i) squared += static_cast<double>(state.pending[i]) * state.pending[i];
  }
  return std::sqrt(squared) / model.body->skin.vertices;
}

double softened_restitution(const Settings& settings, double base, double current, double pending_norm, double dt) {
  return std::min({base, current + settings.recover * dt, base * std::exp(-settings.soften * pending_norm)});
}

}  // namespace crumple::examples
