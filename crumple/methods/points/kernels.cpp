#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/math/svd.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr size_t kChunk = 128;           // points that one thread works on at a time
constexpr double kThinnest = 0.12;       // spacings: neighbours that lie nearer to a plane tell nothing across it
constexpr double kLeastStretch = 0.5;    // of logarithms: below it they go on straight, so that neither stiffness nor steps get out of hand

/// eq. 3.14 without its factor, which cancels everywhere.
double kernel(double squared, double radius) {
  const double share = 1 - squared / (radius * radius);
  return share > 0 ? share * share * share : 0.0;
}

/// Inverse of A, without the directions in which the neighbours lie too near to a plane or a line to tell anything.
void invert(State& state, size_t i, const Mat3& a, double sum) {
  state.weight_sum[i] = sum;
  const double thin = kThinnest * state.own_spacing[i], least = sum * thin * thin;
  const double trace = a.trace(), determinant = a.determinant();
  if (4 * determinant > least * trace * trace) {  // the least eigenvalue is no less than 4 det / trace^2
    state.inverse[i] = a.inverse(), state.rank[i] = 3;
    return;
  }
  Eigen::SelfAdjointEigenSolver<Mat3> eigen(a);
  state.inverse[i].setZero(), state.rank[i] = 0;
  for (int k = 0; k < 3; ++k) {
    const double value = eigen.eigenvalues()[k];
    if (!(value > least)) continue;
    state.inverse[i] += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / value;
    ++state.rank[i];
  }
}

Mat3 symmetric(double xx, double xy, double xz, double yy, double yz, double zz) {
  Mat3 m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}

/// Weights and A of one point (eq. 3.2), and A's inverse.
void set_basis_of(const Model& model, State& state, size_t i) {
  const size_t first = i * at(model.stride()), last = first + at(model.stride());
  double sum = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (size_t s = first; s < last; ++s) {
    const double x = state.u[s].x(), y = state.u[s].y(), z = state.u[s].z();
    const double w = state.neighbor[s] >= 0 ? kernel(x * x + y * y + z * z, state.radius[i]) : 0.0;
    state.weight[s] = w, sum += w;
    const double wx = w * x, wy = w * y, wz = w * z;
    xx += wx * x, xy += wx * y, xz += wx * z, yy += wy * y, yz += wy * z, zz += wz * z;
  }
  invert(state, i, symmetric(xx, xy, xz, yy, yz, zz), sum);
}

/// The direction that A does not tell is turned with the others.
void complete(const Mat3& inverse, uint8_t rank, Mat3& f) {
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

/// eq. 3.2
Mat3 gradient_of(const Model& model, const State& state, size_t i) {
  const size_t first = i * at(model.stride()), last = first + at(model.stride());
  Vec3 b0 = Vec3::Zero(), b1 = Vec3::Zero(), b2 = Vec3::Zero();  // columns
  const Vec3 own = state.x[i];
  for (size_t s = first; s < last; ++s) {
    const double w = state.weight[s];
    if (w == 0) continue;
    const Vec3 way = w * (state.x[at(state.neighbor[s])] - own);
    const Vec3& u = state.u[s];
    b0 += u.x() * way, b1 += u.y() * way, b2 += u.z() * way;
  }
  Mat3 b;
  b << b0, b1, b2;
  Mat3 f = b * state.inverse[i];
  if (state.rank[i] < 3) complete(state.inverse[i], state.rank[i], f);
  return f;
}

/// Lets a point flow: its rest vectors take on what becomes permanent. `v` are the axes of the stretch at rest.
void flow_point(const Model& model, State& state, size_t i, const Mat3& v, const Flow& flow) {
  const Mat3 plastic = v * flow.log.array().exp().matrix().asDiagonal() * v.transpose();
  const size_t first = i * at(model.stride());
  for (size_t s = first; s < first + at(model.stride()); ++s) {
    const Vec3 u = state.u[s];
    state.u[s] = u.x() * plastic.col(0) + u.y() * plastic.col(1) + u.z() * plastic.col(2);
  }
  state.strain[i] += flow.amount, state.flowed[i] += flow.amount;
  set_basis_of(model, state, i);
}

double stabilizer_of(const Model& model, const State& state, size_t i) {
  if (model.settings.stabilize == 0 || state.rank[i] < 3) return 0;
  const size_t first = i * at(model.stride());
  double sum = 0;
  for (size_t s = first; s < first + at(model.stride()); ++s) sum += state.weight[s] * state.u[s].squaredNorm();
  return sum > 0 ? model.settings.stabilize * state.volume[i] * (model.lambda + 2 * model.mu) / sum : 0;
}

/// What acts between a point and its neighbours (eq. 3.5, with the residual of eq. 3.1 held by springs).
void set_pushes(const Model& model, State& state, size_t i, const Svd<double>& svd) {
  const size_t first = i * at(model.stride());
  Mat3 g = Mat3::Zero();
  if (state.rank[i] >= 2) {
    const Mat3 p = svd.u * stress_of(model, svd.s).asDiagonal() * svd.v.transpose();
    g = state.volume[i] * p * state.inverse[i];
  }
  const double k = stabilizer_of(model, state, i);
  const Mat3 h = g - k * state.F[i];
  const Vec3 own = state.x[i];
  for (size_t s = first; s < first + at(model.stride()); ++s) {
    const double w = state.weight[s];
    if (w == 0) {
      state.q[s].setZero();
      continue;
    }
    const Vec3& u = state.u[s];
    state.q[s] = w * (u.x() * h.col(0) + u.y() * h.col(1) + u.z() * h.col(2) + k * (state.x[at(state.neighbor[s])] - own));
  }
}

void gather(const Model& model, State& state) {
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 force = Vec3::Zero();
      const size_t first = i * at(model.stride());
      for (size_t s = first; s < first + at(model.stride()); ++s) force += state.q[s];
      for (int32_t r = state.reverse_begin[i]; r < state.reverse_begin[i + 1]; ++r) force -= state.q[at(state.reverse[at(r)])];
      state.push[i] = force / state.mass[i];
    }
  });
}

}  // namespace

namespace {

/// Logarithms of the stretches, and their slopes. Below the least stretch, and inside out, they go on along the tangent.
struct Logs {
  Vec3 values, slopes;
};
Logs logs_of(const Vec3& stretch) {
  Logs logs;
  for (int k = 0; k < 3; ++k) {
    const double safe = std::max(stretch[k], kLeastStretch);
    logs.values[k] = std::log(safe) + (stretch[k] - safe) / safe, logs.slopes[k] = 1 / safe;
  }
  return logs;
}

}  // namespace

Vec3 stress_of(const Model& model, const Vec3& stretch) {
  if (model.settings.law == Law::Linear) {
    const Vec3 strain = stretch - Vec3::Ones();
    return Vec3::Constant(model.lambda * strain.sum()) + 2 * model.mu * strain;  // eq. 3.4
  }
  const Logs logs = logs_of(stretch);
  return (2 * model.mu * logs.values + Vec3::Constant(model.lambda * logs.values.sum())).cwiseProduct(logs.slopes);
}

double energy_of(const Model& model, const Vec3& stretch) {
  const Vec3 strain = model.settings.law == Law::Linear ? Vec3(stretch - Vec3::Ones()) : logs_of(stretch).values;
  return model.mu * strain.squaredNorm() + 0.5 * model.lambda * strain.sum() * strain.sum();
}

Flow flow_of(const Model& model, const Vec3& stretch, double strain, double yield_factor, double dt) {
  const Settings& s = model.settings;
  if (!s.yield || !(stretch.minCoeff() > 0)) return {};  // what is inside out does not flow
  const Vec3 log = logs_of(stretch).values, deviator = log - Vec3::Constant(log.sum() / 3);  // of eq. 3.6
  const double limit = std::max(*s.yield * yield_factor + s.hardening * strain, 0.0);
  const double size = deviator.norm();
  double share = 0;
  if (s.rule == Rule::Share) {  // eq. 3.7
    const double stress = stress_of(model, stretch).norm();
    share = stress > limit ? std::clamp(s.flow * (stress - limit) / stress, 0.0, 1.0) : 0.0;
  } else {
    // Exact for a held strain at any step; never below the yield.
    const Vec3 p = stress_of(model, stretch);
    const double stress = s.law == Law::Hencky ? 2 * model.mu * size : (p - Vec3::Constant(p.sum() / 3)).norm();
    const double soft = s.hardening / (2 * model.mu);
    share = stress > limit ? (stress - limit) / stress / (1 + soft) * -std::expm1(-s.flow * (1 + soft) * dt) : 0.0;
  }
  return {share * deviator, share * size};
}

void set_basis(const Model& model, State& state) {
  const size_t count = state.size();
  state.weight.resize(count * at(model.stride())), state.inverse.resize(count), state.weight_sum.resize(count), state.rank.resize(count);
  parallel_for(count, kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) set_basis_of(model, state, i);
  });
}

void measure_F(const Model& model, State& state) {
  state.F.resize(state.size());
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
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
    for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) {
      if (state.neighbor[s] < 0) continue;
      const size_t to = at(next[at(state.neighbor[s])]++);
      state.reverse[to] = static_cast<int32_t>(s), state.reverse_owner[to] = static_cast<int32_t>(i);
    }
  }
}

void set_forces(const Model& model, State& state, double dt) {
  const CpuTimer timer(state.times.forces);
  const size_t count = state.size();
  state.F.resize(count), state.q.resize(count * at(model.stride())), state.push.resize(count);
  const bool flows = model.settings.yield && dt > 0;
  parallel_for(count, kChunk, [&](size_t begin, size_t end) {
    std::array<Mat3, kChunk> u, v;
    std::array<Vec3, kChunk> stretch;
    const size_t n = end - begin;
    for (size_t i = begin; i < end; ++i) state.F[i] = gradient_of(model, state, i);
    svd<double>(std::span<const Mat3>(state.F).subspan(begin, n), std::span(u).first(n), std::span(stretch).first(n), std::span(v).first(n));
    for (size_t i = begin; i < end; ++i) {
      set_pushes(model, state, i, {u[i - begin], stretch[i - begin], v[i - begin]});
      // What flows now is felt from the next step on: stress, basis and forces of a step belong to the same rest vectors, which keeps momentum.
      if (!flows || state.rank[i] < 3) continue;
      const Flow flow = flow_of(model, stretch[i - begin], state.strain[i], double{state.yield[i]}, dt);
      if (flow.amount > 0) flow_point(model, state, i, v[i - begin], flow);
    }
  });
  gather(model, state);
}

std::vector<double> estimated_volumes(const Model& model, const State& state) {
  std::vector<double> volumes(state.size());
  for (size_t i = 0; i < state.size(); ++i) {
    Mat3 a = Mat3::Zero();
    for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) a += state.weight[s] * state.u[s] * state.u[s].transpose();
    const double sum = state.weight_sum[i];
    volumes[i] = sum > 0 ? std::sqrt(std::max(a.determinant(), 0.0) / (sum * sum * sum)) : 0.0;  // eq. 3.3
  }
  return volumes;
}

double elastic_energy(const Model& model, const State& state) {
  double energy = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Mat3 f = gradient_of(model, state, i);
    energy += state.volume[i] * energy_of(model, svd<double>(f).s);
    const double k = stabilizer_of(model, state, i);
    for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) {
      if (state.weight[s] > 0) energy += 0.5 * k * state.weight[s] * (f * state.u[s] - (state.x[at(state.neighbor[s])] - state.x[i])).squaredNorm();
    }
  }
  return energy;
}

double stable_step(const Model& model, const State& state) {
  // Stable up to 2.1 to 3 of these; measured on regular, irregular and squashed clouds.
  std::vector<double> least((state.size() + kChunk - 1) / kChunk, 1e300);
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (state.rank[i] == 0 || !state.is_there[i]) continue;
      // A's largest eigenvalue of the inverse is its smallest one.
      Eigen::SelfAdjointEigenSolver<Mat3> eigen;
      eigen.computeDirect(state.inverse[i], Eigen::EigenvaluesOnly);
      const double largest = eigen.eigenvalues()[2] * state.weight_sum[i];
      if (largest > 0) least[begin / kChunk] = std::min(least[begin / kChunk], 1 / std::sqrt(largest));
    }
  });
  const double length = *std::min_element(least.begin(), least.end());
  return length * std::sqrt(model.density / (model.lambda + 2 * model.mu));
}

void set_drag(const Model& model, State& state) {
  state.drag.assign(model.viscosity > 0 ? state.neighbor.size() : 0, 0.0);
  if (state.drag.empty()) return;
  state.drag_sum.resize(state.size());
  const bool of_thesis = model.settings.drag == Drag::Thesis;
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) {
        if (state.neighbor[s] < 0) continue;
        const size_t j = at(state.neighbor[s]);
        // Each entry counts by a half, so two that see each other count once.
        const double h = of_thesis ? state.radius[i] : 0.5 * (state.radius[i] + state.radius[j]);
        const double r = of_thesis ? state.u[s].norm() : (state.e[j] - state.e[i]).norm(), squared = h * h;
        if (r < h) state.drag[s] = (of_thesis ? 1 : 0.5) * model.viscosity * state.volume[i] * state.volume[j] * 45 / (std::numbers::pi * squared * squared * squared) * (h - r);  // eqs. 3.8, 3.15
      }
    }
  });
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (size_t s = i * at(model.stride()); s < (i + 1) * at(model.stride()); ++s) sum += state.drag[s];
      for (int32_t r = state.reverse_begin[i]; !of_thesis && r < state.reverse_begin[i + 1]; ++r) sum += state.drag[at(state.reverse[at(r)])];
      state.drag_sum[i] = sum;
    }
  });
}

void apply_drag(const Model& model, const State& state, std::span<const Vec3> velocities, std::span<Vec3> forces) {
  const bool of_thesis = model.settings.drag == Drag::Thesis, central = model.settings.drag == Drag::Central;
  const auto pull = [&](size_t i, size_t j, double c) {
    const Vec3 difference = velocities[j] - velocities[i];
    if (!central) return Vec3(c * difference);
    const Vec3 way = state.x[j] - state.x[i];
    return Vec3(c * difference.dot(way) / std::max(way.squaredNorm(), 1e-300) * way);
  };
  parallel_for(state.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 force = Vec3::Zero();
      const size_t first = i * at(model.stride());
      for (size_t s = first; s < first + at(model.stride()); ++s) {
        if (state.drag[s] > 0) force += pull(i, at(state.neighbor[s]), state.drag[s]);
      }
      for (int32_t r = state.reverse_begin[i]; !of_thesis && r < state.reverse_begin[i + 1]; ++r) {
        const double c = state.drag[at(state.reverse[at(r)])];
        if (c > 0) force += pull(i, at(state.reverse_owner[at(r)]), c);
      }
      forces[i] = force;
    }
  });
}

}  // namespace crumple::points
