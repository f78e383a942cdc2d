#include <algorithm>
#include <cmath>
#include <numbers>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/sums.h"
#include "crumple/core/timer.h"
#include "crumple/methods/points/entries.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

constexpr double kTolerance = 1e-4;
constexpr int kMaxIterations = 60;
constexpr double kSlow = 0.4;  // what viscosity may take of a velocity in a step without being solved for

bool is_one_sided(const Model& model) {
  return model.settings.drag == Drag::Thesis;
}

/// eqs. 3.8, 3.15
double coefficient(const Model& model, const State& state, size_t i, size_t j, double h, double r) {
  const double squared = h * h;
  return r < h ? model.viscosity * state.volume[i] * state.volume[j] * 45 / (std::numbers::pi * squared * squared * squared) * (h - r) : 0;
}

/// The pull of a pair along the line between its points.
Vec4 central_pull(const State& state, size_t i, size_t j, double c, const Vec4& difference) {
  Vec4 way;
  way << state.x[j] - state.x[i], 0.0;
  return c * difference.dot(way) / std::max(way.squaredNorm(), 1e-300) * way;
}

const Patches& patches_of(const Model& model, const State& state) {
  return is_one_sided(model) ? state.patches : state.pairs.patches;
}

void pull_chunk(const Model& model, State& state, size_t chunk, std::span<const Vec4> velocities) {
  const Patches& patches = patches_of(model, state);
  const size_t begin = chunk * Patches::kPoints, end = std::min(begin + Patches::kPoints, state.size());
  std::vector<Vec4> rows;
  gather_rows(patches, chunk, velocities, rows);
  Vec4* sums = state.rows.data() + patches.begin[chunk];
  std::fill_n(sums, rows.size(), Vec4::Zero());
  for (size_t i = begin; i < end; ++i) {
    const int32_t first = is_one_sided(model) ? static_cast<int32_t>(i * model.stride()) : state.pairs.begin[i];
    const int32_t last = is_one_sided(model) ? static_cast<int32_t>((i + 1) * model.stride()) : state.pairs.begin[i + 1];
    if (model.settings.drag == Drag::Pairs) {
      add_differences(state.drag.data() + first, patches.slots.data() + first, last - first, rows.data(), static_cast<int>(i - begin), sums);
      continue;
    }
    for (size_t s = at(first); s < at(last); ++s) {
      const double c = double{state.drag[s]};
      const Vec4 difference = rows[patches.slots[s]] - rows[i - begin];
      const Vec4 pull = is_one_sided(model) ? Vec4(c * difference) : central_pull(state, i, at(state.pairs.other[s]), c, difference);
      sums[i - begin] += pull;
      if (!is_one_sided(model)) sums[patches.slots[s]] -= pull;
    }
  }
}

/// Forces of viscosity, N, as rows.
void pull(const Model& model, State& state, std::span<const Vec4> velocities) {
  state.rows.resize(patches_of(model, state).points.size());
  parallel_for(patches_of(model, state).chunks(), 1, [&](size_t begin, size_t end) {
    for (size_t chunk = begin; chunk < end; ++chunk) pull_chunk(model, state, chunk, velocities);
  });
}

template <class Work>
void each_point(const State& state, const Work& work) {
  parallel_for(state.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) work(i);
  });
}

/// Not symmetric: its sweeps contract, because each row's diagonal outweighs the rest.
void solve_thesis(const Model& model, State& state, double dt, std::vector<Vec4>& v) {
  const Patches& patches = patches_of(model, state);
  const std::vector<Vec4> goal = v;
  for (int sweep = 0; sweep < kMaxIterations; ++sweep) {
    each_point(state, [&](size_t i) {
      const double share = dt / state.mass[i];
      v[i] = (goal[i] + share * (sum_rows(patches, state.rows, i) + state.drag_sum[i] * v[i])) / (1 + share * state.drag_sum[i]);
    });
    pull(model, state, v);
  }
}

/// (M + dt L) v' = M v: conjugate gradients from the velocities without viscosity.
void solve(const Model& model, State& state, double dt, std::vector<Vec4>& v) {
  const Patches& patches = patches_of(model, state);
  const size_t count = state.size();
  std::vector<Vec4> r(count), p(count), product(count);
  const auto diagonal = [&](size_t i) { return state.mass[i] + dt * state.drag_sum[i]; };
  each_point(state, [&](size_t i) { r[i] = dt * sum_rows(patches, state.rows, i), p[i] = r[i] / diagonal(i); });
  const auto size = [&] { return sum_over(count, 0.0, [&](size_t i) { return r[i].squaredNorm() / diagonal(i); }); };
  double rz = size();
  const double goal = kTolerance * kTolerance * rz;
  for (int k = 0; k < kMaxIterations && rz > goal && rz > 0; ++k) {
    pull(model, state, p);
    const double along = sum_over(count, 0.0, [&](size_t i) {
      product[i] = state.mass[i] * p[i] - dt * sum_rows(patches, state.rows, i);
      return p[i].dot(product[i]);
    });
    each_point(state, [&](size_t i) { v[i] += rz / along * p[i], r[i] -= rz / along * product[i]; });
    const double next = size();
    each_point(state, [&](size_t i) { p[i] = r[i] / diagonal(i) + next / rz * p[i]; });
    rz = next;
  }
}

}  // namespace

void set_drag(const Model& model, State& state) {
  state.drag.clear();
  if (!(model.viscosity > 0)) return;
  state.drag_sum.assign(state.size(), 0);
  if (is_one_sided(model)) {
    state.drag.assign(state.neighbor.size(), 0.0f);
    for (size_t i = 0; i < state.size(); ++i) {
      for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
        if (state.neighbor[s] >= 0) state.drag[s] = static_cast<float>(coefficient(model, state, i, at(state.neighbor[s]), state.radius[i], rest_vector(state, s).norm()));
        state.drag_sum[i] += double{state.drag[s]};
      }
    }
    return;
  }
  state.drag.resize(state.pairs.other.size());
  for (size_t i = 0; i < state.size(); ++i) {
    for (size_t s = at(state.pairs.begin[i]); s < at(state.pairs.begin[i + 1]); ++s) {
      const size_t j = at(state.pairs.other[s]);
      const double share = state.pairs.back[s] < 0 ? 0.5 : 1.0;  // half for each that sees the other
      state.drag[s] = static_cast<float>(share * coefficient(model, state, i, j, 0.5 * (state.radius[i] + state.radius[j]), (state.e[j] - state.e[i]).norm()));
      state.drag_sum[i] += double{state.drag[s]}, state.drag_sum[j] += double{state.drag[s]};
    }
  }
}

void apply_viscosity(const Model& model, State& state, double dt) {
  if (state.drag.empty()) return;
  const CpuTimer timer(state.times.viscosity);
  const Patches& patches = patches_of(model, state);
  std::vector<Vec4> v(state.size());
  each_point(state, [&](size_t i) { v[i] << state.v[i], 0.0; });
  pull(model, state, v);
  double strongest = 0;
  for (size_t i = 0; i < state.size(); ++i) strongest = std::max(strongest, dt * state.drag_sum[i] / state.mass[i]);
  if (model.settings.scheme == Scheme::Leapfrog || strongest < kSlow) {
    each_point(state, [&](size_t i) { state.v[i] += dt / state.mass[i] * sum_rows(patches, state.rows, i).head<3>(); });
    return;
  }
  model.settings.drag == Drag::Thesis ? solve_thesis(model, state, dt, v) : solve(model, state, dt, v);
  each_point(state, [&](size_t i) { state.v[i] = v[i].head<3>(); });
}

}  // namespace crumple::points
