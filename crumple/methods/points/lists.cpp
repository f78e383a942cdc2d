#include <algorithm>
#include <cmath>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/geometry/near_grid.h"
#include "crumple/methods/points/kernels.h"

namespace crumple::points {

void update_lists(const Model& model, State& state, std::span<const uint8_t> flagged) {
  const CpuTimer timer(state.times.neighbors);
  const size_t stride = at(model.stride());
  std::vector<double> radii;
  for (const double r : state.radius) {
    if (r > 0) radii.push_back(r);
  }
  double cell = model.spacing * 2;
  if (!radii.empty()) {
    // Small enough for the finest quarter.
    std::nth_element(radii.begin(), radii.begin() + static_cast<long>(radii.size() / 4), radii.end());
    cell = 0.7 * radii[radii.size() / 4] * 2 / model.settings.radius;
  }
  const NearGrid grid(state.e, cell, state.is_there);
  parallel_for(state.size(), 64, [&](size_t begin, size_t end) {
    std::vector<Near> near;
    std::vector<std::pair<int32_t, Vec3>> before;
    for (size_t i = begin; i < end; ++i) {
      if (!flagged.empty() && !flagged[i]) continue;
      before.clear();
      for (size_t s = i * stride; s < (i + 1) * stride; ++s) {
        if (state.neighbor[s] >= 0) before.emplace_back(state.neighbor[s], state.u[s]);
        state.neighbor[s] = -1, state.u[s].setZero();
      }
      if (!state.is_there[i]) continue;
      grid.nearest(static_cast<int>(i), stride, near);
      double sum = 0;
      for (const Near& one : near) sum += std::sqrt(one.squared);
      state.radius[i] = near.empty() ? 0 : model.settings.radius * sum / static_cast<double>(near.size());
      std::sort(before.begin(), before.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      size_t s = i * stride;
      for (const Near& one : near) {
        if (!(one.squared < state.radius[i] * state.radius[i])) break;
        const auto kept = std::lower_bound(before.begin(), before.end(), one.point, [](const auto& a, int32_t b) { return a.first < b; });
        state.neighbor[s] = one.point;
        state.u[s++] = kept != before.end() && kept->first == one.point ? kept->second : Vec3(state.e[at(one.point)] - state.e[i]);
      }
    }
  });
}

}  // namespace crumple::points
