#include <algorithm>
#include <array>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/math/svd.h"
#include "crumple/methods/points/entries.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr double kLeastStretch = 0.5;  // of logarithms: below it they go on straight, so that neither stiffness nor steps get out of hand

/// Strain along the principal axes, and its slope against the stretch. Logarithms go on along the tangent below the least stretch and inside out.
struct Strain {
  Vec3 values, slopes;
};
Strain strain_of(const Model& model, const Vec3& stretch) {
  if (model.settings.law == Law::Linear) return {stretch - Vec3::Ones(), Vec3::Ones()};
  Strain strain;
  for (int k = 0; k < 3; ++k) {
    const double safe = std::max(stretch[k], kLeastStretch);
    strain.values[k] = std::log(safe) + (stretch[k] - safe) / safe, strain.slopes[k] = 1 / safe;
  }
  return strain;
}

Vec3 stress_of(const Model& model, const Strain& strain) {
  return (2 * model.mu * strain.values + Vec3::Constant(model.lambda * strain.values.sum())).cwiseProduct(strain.slopes);  // eq. 3.4
}

double energy_of(const Model& model, const Strain& strain) {
  return model.mu * strain.values.squaredNorm() + 0.5 * model.lambda * strain.values.sum() * strain.values.sum();
}

Vec3 deviator_of(const Vec3& values) {
  return values - Vec3::Constant(values.sum() / 3);
}

Flow flow_of(const Model& model, const Vec3& stretch, const Strain& strain, double flowed, const Painted& painted, double dt) {
  const Settings& s = model.settings;
  if (!s.yield || !(stretch.minCoeff() > 0)) return {};  // what is inside out does not flow
  const double limit = std::max(*s.yield * painted.yield + s.hardening * flowed, 0.0);
  const Vec3 p = painted.stiffness * stress_of(model, strain);
  const bool is_log = s.law == Law::Hencky;
  const double shear = painted.stiffness * model.mu;
  const double stress = s.rule == Rule::Share ? p.norm() : is_log ? 2 * shear * deviator_of(strain.values).norm() : deviator_of(p).norm();
  if (!(stress > limit)) return {};
  const double beyond = (stress - limit) / stress, soft = s.hardening / (2 * shear);
  const double share = s.rule == Rule::Share ? std::clamp(s.flow * painted.rate * beyond, 0.0, 1.0)  // eq. 3.7
                                             // Exact for a held strain at any step; never below the yield.
                                             : beyond / (1 + soft) * -std::expm1(-s.flow * painted.rate * (1 + soft) * dt);
  const Vec3 log = is_log ? strain.values : Vec3(stretch.array().max(kLeastStretch).log());
  const Vec3 deviator = deviator_of(log);  // of eq. 3.6
  return {share * deviator, share * deviator.norm()};
}

double stabilizer_of(const Model& model, const State& state, size_t i) {
  if (state.rank[i] < 3 || !(state.trace[i] > 0)) return 0;
  return model.settings.stabilize * double{state.stiffness[i]} * state.volume[i] * (model.lambda + 2 * model.mu) / state.trace[i];
}

Painted painted_at(const State& state, size_t i) {
  return {double{state.yield[i]}, double{state.stiffness[i]}, double{state.rate[i]}};
}

/// What becomes permanent waits to be taken into the rest vectors. `v` are the axes of the elastic stretch at rest.
void flow_point(State& state, size_t i, const Mat3& v, const Flow& flow) {
  const Mat3 back = v * (-flow.log).array().exp().matrix().asDiagonal() * v.transpose();
  state.pending[i] = state.unfolded[i] > 0 ? Mat3(state.pending[i] * back) : back;
  state.unfolded[i] += flow.amount, state.strain[i] += flow.amount, state.flowed[i] += flow.amount;
}

/// The points of a chunk and all they act on.
struct Chunk {
  const Model& model;
  State& state;
  size_t begin, end;
  std::vector<Vec4> places;
  Vec4* forces;

  Entries entries(size_t i) const { return {state.u.data() + i * model.stride(), state.patches.slots.data() + i * model.stride(), static_cast<int>(model.stride())}; }

  void set_gradient(size_t i) {
    Vec4 columns[3];
    sum_gradient(entries(i), places.data(), static_cast<int>(i - begin), columns);
    Mat3 b;
    b << columns[0].head<3>(), columns[1].head<3>(), columns[2].head<3>();
    state.F[i].noalias() = b * state.inverse[i];  // eq. 3.2
    if (state.rank[i] < 3) complete_gradient(state.inverse[i], state.rank[i], state.F[i]);
  }

  /// What acts between a point and its neighbours (eq. 3.5, with the residual of eq. 3.1 held by springs).
  void push(size_t i, const Mat3& u, const Mat3& v, const Vec3& stress) {
    Mat3 h = Mat3::Zero();
    if (state.rank[i] >= 2) {
      h.noalias() = (u * (state.volume[i] * stress).asDiagonal()) * v.transpose();
      if (state.unfolded[i] > 0) h = h * state.pending[i].transpose();
      h = h * state.inverse[i];
    }
    const double k = stabilizer_of(model, state, i);
    h -= k * state.F[i];
    Vec4 columns[3];
    for (int c = 0; c < 3; ++c) columns[c] << h.col(c), 0.0;
    add_pushes(entries(i), places.data(), static_cast<int>(i - begin), columns, k, forces);
  }
};

void push_chunk(const Model& model, State& state, size_t chunk, double dt) {
  const size_t first = at(state.patches.begin[chunk]), begin = chunk * Patches::kPoints, end = std::min(begin + Patches::kPoints, state.size()), n = end - begin;
  Chunk c{model, state, begin, end, {}, state.rows.data() + first};
  gather_rows(state.patches, chunk, state.x, c.places);
  std::fill_n(c.forces, c.places.size(), Vec4::Zero());
  std::array<Mat3, Patches::kPoints> elastic, u, v;
  std::array<Vec3, Patches::kPoints> stretch;
  for (size_t i = begin; i < end; ++i) {
    c.set_gradient(i);
    elastic[i - begin] = state.unfolded[i] > 0 ? Mat3(state.F[i] * state.pending[i]) : state.F[i];
  }
  svd<double>(std::span<const Mat3>(elastic).first(n), std::span(u).first(n), std::span(stretch).first(n), std::span(v).first(n));
  const bool flows = model.settings.yield && dt > 0;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = i - begin;
    const Strain strain = strain_of(model, stretch[k]);
    c.push(i, u[k], v[k], double{state.stiffness[i]} * stress_of(model, strain));
    // What flows now is felt from the next step on: stress, basis and forces of a step belong to the same rest vectors, which keeps momentum.
    if (!flows || state.rank[i] < 3) continue;
    const Flow flow = flow_of(model, stretch[k], strain, state.strain[i], painted_at(state, i), dt);
    if (flow.amount > 0) flow_point(state, i, v[k], flow);
  }
}

}  // namespace

Vec3 stress_of(const Model& model, const Vec3& stretch) {
  return stress_of(model, strain_of(model, stretch));
}

double energy_of(const Model& model, const Vec3& stretch) {
  return energy_of(model, strain_of(model, stretch));
}

Flow flow_of(const Model& model, const Vec3& stretch, double strain, const Painted& painted, double dt) {
  return flow_of(model, stretch, strain_of(model, stretch), strain, painted, dt);
}

void set_forces(const Model& model, State& state, double dt) {
  const CpuTimer timer(state.times.forces);
  state.F.resize(state.size()), state.push.resize(state.size()), state.rows.resize(state.patches.points.size());
  parallel_for(state.patches.chunks(), 1, [&](size_t begin, size_t end) {
    for (size_t chunk = begin; chunk < end; ++chunk) push_chunk(model, state, chunk, dt);
  });
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) state.push[i] = sum_rows(state.patches, state.rows, i).head<3>() / state.mass[i];
  });
}

double elastic_energy(const Model& model, const State& state) {
  double energy = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    const Mat3 f = gradient_of(model, state, i);
    energy += state.volume[i] * double{state.stiffness[i]} * energy_of(model, svd<double>(f * state.pending[i]).s);
    const double k = stabilizer_of(model, state, i);
    for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
      if (state.neighbor[s] >= 0) energy += 0.5 * k * weight_of(state, s) * (f * rest_vector(state, s) - (state.x[at(state.neighbor[s])] - state.x[i])).squaredNorm();
    }
  }
  return energy;
}

}  // namespace crumple::points
