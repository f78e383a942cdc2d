#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr double kThinnest = 0.12;  // spacings: neighbours that lie nearer to a plane tell nothing across it

/// Inverse of A, without the directions in which the neighbours lie too near to a plane or a line to tell anything.
void invert(State& state, size_t i, const Mat3& a, double sum) {
  state.weight_sum[i] = sum, state.trace[i] = a.trace(), state.rank[i] = 3;
  const double thin = kThinnest * state.own_spacing[i], least = sum * thin * thin;
  const double trace = a.trace(), determinant = a.determinant();
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  if (4 * determinant > least * trace * trace) {  // the least eigenvalue is no less than 4 det / trace^2
    state.inverse[i] = a.inverse();
    eigen.computeDirect(a, Eigen::EigenvaluesOnly);
    state.length[i] = std::sqrt(std::max(eigen.eigenvalues()[0], least) / sum);
    return;
  }
  eigen.compute(a);
  state.inverse[i].setZero(), state.rank[i] = 0, state.length[i] = 0;
  for (int k = 2; k >= 0; --k) {
    const double value = eigen.eigenvalues()[k];
    if (!(value > least)) break;
    state.inverse[i] += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / value;
    state.length[i] = std::sqrt(value / sum), ++state.rank[i];
  }
}

/// Weights and A of one point (eq. 3.2), and A's inverse.
void set_basis_of(const Model& model, State& state, size_t i) {
  const size_t first = i * model.stride(), last = first + model.stride();
  const double nearer = 1 / (state.radius[i] * state.radius[i]);
  double sum = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (size_t s = first; s < last; ++s) {
    const double x = state.u[s][0], y = state.u[s][1], z = state.u[s][2];
    // eq. 3.14 without its factor, which cancels everywhere
    const double share = 1 - (x * x + y * y + z * z) * nearer, w = share > 0 && state.neighbor[s] >= 0 ? share * share * share : 0.0;
    state.u[s][3] = w, sum += w;
    const double wx = w * x, wy = w * y, wz = w * z;
    xx += wx * x, xy += wx * y, xz += wx * z, yy += wy * y, yz += wy * z, zz += wz * z;
  }
  Mat3 a;
  a << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  invert(state, i, a, sum);
}

void fold_point(const Model& model, State& state, size_t i) {
  const Mat3 plastic = state.pending[i].inverse();
  for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) state.u[s].head<3>() = plastic * Vec3(state.u[s].head<3>());
  state.F[i] = state.F[i] * state.pending[i];
  state.pending[i].setIdentity(), state.unfolded[i] = 0;
  set_basis_of(model, state, i);
}

}  // namespace

void set_basis(const Model& model, State& state) {
  const CpuTimer timer(state.times.basis);
  const size_t count = state.size();
  state.inverse.resize(count), state.weight_sum.resize(count), state.trace.resize(count), state.length.resize(count), state.rank.resize(count);
  parallel_for(count, kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) set_basis_of(model, state, i);
  });
}

void lists_changed(const Model& model, State& state) {
  {
    const CpuTimer timer(state.times.neighbors);
    std::vector<int32_t> begin(state.size() + 1);
    for (size_t i = 0; i < begin.size(); ++i) begin[i] = static_cast<int32_t>(i * model.stride());
    state.patches = make_patches(begin, state.neighbor), state.pairs = make_pairs(state.neighbor, model.stride());
  }
  set_basis(model, state);
  set_drag(model, state);
  state.strangers_from.clear();
}

void fold_flow(const Model& model, State& state, double least) {
  const CpuTimer timer(state.times.basis);
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (state.unfolded[i] > least) fold_point(model, state, i);
    }
  });
}

void complete_gradient(const Mat3& inverse, uint8_t rank, Mat3& f) {
  if (rank < 2) {
    f.setIdentity();
    return;
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen(inverse);
  const Vec3 missing = eigen.eigenvectors().col(0), a = eigen.eigenvectors().col(1), b = missing.cross(a);
  Vec3 to = (f * a).cross(f * b);
  const double length = to.norm();
  to = length > 1e-12 ? Vec3(to / length) : missing;
  f += to * missing.transpose() - (f * missing) * missing.transpose();
}

Mat3 gradient_of(const Model& model, const State& state, size_t i) {
  Mat3 b = Mat3::Zero();
  for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
    if (state.neighbor[s] >= 0) b += weight_of(state, s) * (state.x[at(state.neighbor[s])] - state.x[i]) * rest_vector(state, s).transpose();
  }
  Mat3 f = b * state.inverse[i];
  if (state.rank[i] < 3) complete_gradient(state.inverse[i], state.rank[i], f);
  return f;
}

void measure_F(const Model& model, State& state) {
  state.F.resize(state.size());
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) state.F[i] = gradient_of(model, state, i);
  });
}

void set_reverse(const Model& model, State& state) {
  const size_t count = state.size();
  state.reverse_begin.assign(count + 1, 0);
  for (const int32_t j : state.neighbor) {
    if (j >= 0) ++state.reverse_begin[at(j) + 1];
  }
  for (size_t i = 0; i < count; ++i) state.reverse_begin[i + 1] += state.reverse_begin[i];
  state.reverse.resize(at(state.reverse_begin[count])), state.reverse_owner.resize(state.reverse.size());
  std::vector<int32_t> next(state.reverse_begin.begin(), state.reverse_begin.end() - 1);
  for (size_t i = 0; i < count; ++i) {
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
      if (state.neighbor[s] < 0) continue;
      const size_t to = at(next[at(state.neighbor[s])]++);
      state.reverse[to] = static_cast<int32_t>(s), state.reverse_owner[to] = static_cast<int32_t>(i);
    }
  }
}

std::vector<double> estimated_volumes(const Model& model, const State& state) {
  std::vector<double> volumes(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    Mat3 a = Mat3::Zero();
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) a += weight_of(state, s) * rest_vector(state, s) * rest_vector(state, s).transpose();
    const double sum = state.weight_sum[i];
    volumes[i] = sum > 0 ? std::sqrt(std::max(a.determinant(), 0.0) / (sum * sum * sum)) : 0.0;  // eq. 3.3
  }
  return volumes;
}

double stable_step(const Model& model, const State& state) {
  // Stable up to 2.1 to 3 of these; measured on regular, irregular and squashed clouds.
  double least = 1e300;
  for (size_t i = 0; i < state.size(); ++i) {
    if (state.rank[i] == 0 || !state.is_there[i]) continue;
    least = std::min(least, state.length[i] * state.length[i] / double{state.stiffness[i]});
  }
  return std::sqrt(least * model.density / (model.lambda + 2 * model.mu));
}

}  // namespace crumple::points
