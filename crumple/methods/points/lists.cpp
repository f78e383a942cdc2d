#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/near_grid.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {
namespace {

using Entry = std::pair<int32_t, Vec4>;

/// Takes the list of a point away, in the order of the points' numbers.
void take_list(const Model& model, State& state, size_t i, std::vector<Entry>& list) {
  list.clear();
  for (size_t s = i * model.stride(); s < (i + 1) * model.stride(); ++s) {
    if (state.neighbor[s] >= 0) list.emplace_back(state.neighbor[s], state.u[s]);
    state.neighbor[s] = -1, state.u[s].setZero();
  }
  const auto is_before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  if (!std::is_sorted(list.begin(), list.end(), is_before)) std::sort(list.begin(), list.end(), is_before);
}

/// A distance within which a full list's points lie now, so that the nearest ones do as well; 0 if it is not full.
double bound_of(const Model& model, const State& state, size_t i, std::span<const Entry> list) {
  if (list.size() < model.stride()) return 0;
  double squared = 0;
  for (const Entry& entry : list) {
    if (!state.is_there[at(entry.first)]) return 0;
    squared = std::max(squared, (state.e[at(entry.first)] - state.e[i]).squaredNorm());
  }
  return std::sqrt(squared);
}

/// Rest vector of a point that was not in the list. Under F it is where the point is, so it comes without a force. The embedding, which the thesis
/// takes it from, is too small where neighbourhoods have turned against each other, and a body would lose volume.
Vec3 newcomer(const Model& model, const State& state, size_t i, size_t other) {
  constexpr double kLeastVolume = 0.1;  // of F: what is squashed or inside out tells nothing
  const bool has_gradient = i < state.F.size() && other < state.F.size() && i < state.rank.size() && state.rank[i] == 3;
  if (model.settings.newcomers == Newcomers::World && has_gradient && state.F[i].determinant() > kLeastVolume) return state.F[i].inverse() * (state.x[other] - state.x[i]);
  return state.e[other] - state.e[i];
}

}  // namespace

void update_lists(const Model& model, State& state, std::span<const uint8_t> flagged) {
  const CpuTimer timer(state.times.neighbors);
  std::vector<double> radii;
  for (const double r : state.radius) {
    if (r > 0) radii.push_back(r);
  }
  double cell = model.spacing * 2;
  if (!radii.empty()) {
    // Small enough for the finest quarter.
    std::nth_element(radii.begin(), radii.begin() + static_cast<long>(radii.size() / 4), radii.end());
    cell = 0.8 * radii[radii.size() / 4] / model.settings.radius;
  }
  const NearGrid grid(state.e, cell, state.is_there);
  parallel_for(state.size(), 64, [&](size_t begin, size_t end) {
    std::vector<Near> near;
    std::vector<Entry> before;
    for (size_t i = begin; i < end; ++i) {
      if (!flagged.empty() && !flagged[i]) continue;
      take_list(model, state, i, before);
      if (!state.is_there[i]) continue;
      grid.nearest(static_cast<int>(i), model.stride(), bound_of(model, state, i, before), near);
      double sum = 0;
      for (const Near& one : near) sum += std::sqrt(one.squared);
      state.radius[i] = near.empty() ? 0 : model.settings.radius * sum / static_cast<double>(near.size());
      std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.point < b.point; });
      size_t s = i * model.stride(), kept = 0;
      for (const Near& one : near) {
        if (!(one.squared < state.radius[i] * state.radius[i])) continue;
        while (kept < before.size() && before[kept].first < one.point) ++kept;
        state.neighbor[s] = one.point;
        if (kept < before.size() && before[kept].first == one.point) {
          state.u[s] = before[kept].second;
        } else {
          state.u[s] << newcomer(model, state, i, at(one.point)), 0.0;
        }
        ++s;
      }
    }
  });
}

}  // namespace crumple::points
