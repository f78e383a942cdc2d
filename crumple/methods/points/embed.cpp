#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/sums.h"
#include "crumple/core/timer.h"
#include "crumple/math/polar.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr size_t kRows = 256;
constexpr int kMostIterations = 200;
constexpr int kTurns = 8;  // of the nonlinear embedding

/// The normal equations of eq. 3.9 over both ends of every entry: row i is sum w^2 (e_i - e_j) over what i sees and what sees i.
struct Normal {
  const State& state;
  size_t stride;
  std::vector<double> diagonal;
  std::vector<float> squares;  // entries: w^2

  Normal(const Model& model, const State& s) : state(s), stride(at(model.stride())), diagonal(s.size()), squares(s.weight.size()) {
    const bool printed = model.settings.embed == Embed::Printed;
    parallel_for(squares.size(), kRows * stride, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) squares[k] = static_cast<float>(state.weight[k] * state.weight[k]);
    });
    parallel_for(state.size(), kRows, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        double own = 0, others = 0;
        for (size_t k = i * stride; k < (i + 1) * stride; ++k) own += double{squares[k]};
        for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) others += double{squares[at(state.reverse[at(r)])]};
        diagonal[i] = printed ? 2 * own : own + others;  // eq. 3.12 counts the own ones twice
        if (!(diagonal[i] > 0)) diagonal[i] = 1;
      }
    });
  }

  /// to = C^T C p
  void apply(std::span<const Vec3> p, std::span<Vec3> to) const {
    parallel_for(state.size(), kRows, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        Vec3 sum = Vec3::Zero();
        for (size_t k = i * stride; k < (i + 1) * stride; ++k) {
          if (squares[k] > 0) sum += double{squares[k]} * p[at(state.neighbor[k])];
        }
        for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) {
          const float square = squares[at(state.reverse[at(r)])];
          if (square > 0) sum += double{square} * p[at(state.reverse_owner[at(r)])];
        }
        to[i] = diagonal[i] * p[i] - sum;
      }
    });
  }

  /// What is left of C^T (u - C e): by entries, so that nothing large cancels.
  void residual(std::span<const Mat3> turns, std::span<Vec3> to) const {
    const auto left = [&](size_t k, size_t i) {
      const Vec3 wanted = turns.empty() ? state.u[k] : Vec3(turns[i] * state.u[k]);
      return Vec3(double{squares[k]} * (wanted - (state.e[at(state.neighbor[k])] - state.e[i])));
    };
    parallel_for(state.size(), kRows, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        Vec3 sum = Vec3::Zero();
        for (size_t k = i * stride; k < (i + 1) * stride; ++k) {
          if (squares[k] > 0) sum -= left(k, i);
        }
        for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) {
          if (squares[at(state.reverse[at(r)])] > 0) sum += left(at(state.reverse[at(r)]), at(state.reverse_owner[at(r)]));
        }
        to[i] = sum;
      }
    });
  }
};

Vec3 divided(const Vec3& a, const Vec3& b) {
  return {b[0] != 0 ? a[0] / b[0] : 0, b[1] != 0 ? a[1] / b[1] : 0, b[2] != 0 ? a[2] / b[2] : 0};
}

/// Conjugate gradients for the three coordinates at once, for the change of e. `tolerance`: relative to the residual at the beginning.
int solve(const Normal& normal, State& state, std::span<const Mat3> turns, double tolerance) {
  const size_t count = state.size();
  std::vector<Vec3> r(count), p(count), product(count), z(count);
  normal.residual(turns, r);
  const auto precondition = [&] {
    parallel_for(count, 1024, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) z[i] = r[i] / normal.diagonal[i];
    });
  };
  const auto dot = [&](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    return sum_over(count, Vec3(Vec3::Zero()), [&](size_t i) { return Vec3(a[i].cwiseProduct(b[i])); });
  };
  precondition();
  p = z;
  Vec3 rz = dot(r, z);
  const double goal = tolerance * tolerance * rz.sum();
  // Rounding of the rest vectors themselves is no reason to solve.
  const double scale = sum_over(count, 0.0, [&](size_t i) { return normal.diagonal[i] * state.radius[i] * state.radius[i]; });
  if (!(rz.sum() > 1e-24 * scale)) return 0;
  int iterations = 0;
  while (iterations < kMostIterations && rz.sum() > goal) {
    normal.apply(p, product);
    const Vec3 step = divided(rz, dot(p, product));
    parallel_for(count, 1024, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) state.e[i] += step.cwiseProduct(p[i]), r[i] -= step.cwiseProduct(product[i]);
    });
    precondition();
    const Vec3 next = dot(r, z), share = divided(next, rz);
    parallel_for(count, 1024, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) p[i] = z[i] + share.cwiseProduct(p[i]);
    });
    rz = next, ++iterations;
  }
  return iterations;
}

/// How each neighbourhood is turned in the embedded space.
std::vector<Mat3> fitted_turns(const Normal& normal, const State& state) {
  std::vector<Mat3> turns(state.size());
  parallel_for(state.size(), kRows, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Mat3 sum = Mat3::Zero();
      for (size_t k = i * normal.stride; k < (i + 1) * normal.stride; ++k) {
        if (normal.squares[k] > 0) sum += double{normal.squares[k]} * (state.e[at(state.neighbor[k])] - state.e[i]) * state.u[k].transpose();
      }
      turns[i] = nearest_rotation<double>(sum, Quat::Identity()).toRotationMatrix();
    }
  });
  return turns;
}

}  // namespace

int embed(const Model& model, State& state, double tolerance) {
  const CpuTimer timer(state.times.embedding);
  const Normal normal(model, state);
  if (model.settings.embed != Embed::Nonlinear) return solve(normal, state, {}, tolerance);
  int iterations = 0;
  for (int round = 0; round < kTurns; ++round) iterations += solve(normal, state, fitted_turns(normal, state), tolerance);
  return iterations;
}

double mismatch(const Model& model, const State& state) {
  double missed = 0, all = 0;
  for (size_t k = 0; k < state.neighbor.size(); ++k) {
    if (state.neighbor[k] < 0) continue;
    const size_t i = k / at(model.stride());
    const double square = state.weight[k] * state.weight[k];
    missed += square * (state.u[k] - (state.e[at(state.neighbor[k])] - state.e[i])).squaredNorm();
    all += square * state.u[k].squaredNorm();
  }
  return all > 0 ? std::sqrt(missed / all) : 0;
}

}  // namespace crumple::points
