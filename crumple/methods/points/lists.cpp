#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/core/timer.h"
#include "crumple/methods/points/kernels.h"
#include "crumple/methods/points/lists.h"

namespace crumple::points {

NearGrid::NearGrid(std::span<const Vec3> points, double cell, std::span<const int32_t> is_there) : points_(points), cell_(cell) {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (size_t i = 0; i < points.size(); ++i) {
    if (is_there.empty() || is_there[i]) low = low.cwiseMin(points[i]), high = high.cwiseMax(points[i]);
  }
  if (low.x() > high.x()) low = high = Vec3::Zero();
  low_ = low;
  const auto cells = [&] {
    double all = 1;
    for (int k = 0; k < 3; ++k) size_[k] = static_cast<int>(std::min((high[k] - low[k]) / cell_, 1e6)) + 1, all *= size_[k];
    return all;
  };
  while (cells() > 8.0 * static_cast<double>(points.size()) + 64) cell_ *= 1.3;
  begin_.assign(at(size_[0]) * at(size_[1]) * at(size_[2]) + 1, 0);
  std::vector<int> of(points.size(), -1);
  for (size_t i = 0; i < points.size(); ++i) {
    if (!is_there.empty() && !is_there[i]) continue;
    of[i] = cell_at(index(points[i], 0), index(points[i], 1), index(points[i], 2)), ++begin_[at(of[i]) + 1];
  }
  for (size_t c = 0; c + 1 < begin_.size(); ++c) begin_[c + 1] += begin_[c];
  order_.resize(at(begin_.back())), sorted_.resize(order_.size());
  std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
  for (size_t i = 0; i < points.size(); ++i) {
    if (of[i] < 0) continue;
    const size_t to = at(next[at(of[i])]++);
    order_[to] = static_cast<int32_t>(i), sorted_[to] = points[i];
  }
}

void NearGrid::nearest(int point, size_t count, std::vector<Near>& found) const {
  const Vec3 place = points_[at(point)];
  const int middle[3] = {index(place, 0), index(place, 1), index(place, 2)};
  found.clear();
  double limit = 1e300;  // squared: farther ones cannot be among the nearest
  const auto search = [&](int x, int y, int z) {
    const size_t cell = at(cell_at(x, y, z));
    for (int32_t k = begin_[cell]; k < begin_[cell + 1]; ++k) {
      const double squared = (sorted_[at(k)] - place).squaredNorm();
      if (squared <= limit && order_[at(k)] != point) found.push_back({squared, order_[at(k)]});
    }
  };
  const auto gap = [&](int cell, int axis) {  // along one axis, from the place to a cell
    const double low = low_[axis] + cell * cell_;
    return std::max({low - place[axis], place[axis] - low - cell_, 0.0});
  };
  const int widest = std::max({size_[0], size_[1], size_[2]});
  for (int ring = 0; ring <= widest; ++ring) {
    bool any = ring == 0;
    for (int z = std::max(middle[2] - ring, 0); z <= std::min(middle[2] + ring, size_[2] - 1); ++z) {
      const double away_z = gap(z, 2);
      if (away_z * away_z > limit) continue;
      for (int y = std::max(middle[1] - ring, 0); y <= std::min(middle[1] + ring, size_[1] - 1); ++y) {
        const double away_y = gap(y, 1), away = away_z * away_z + away_y * away_y;
        if (away > limit) continue;
        const bool is_inner = std::abs(z - middle[2]) < ring && std::abs(y - middle[1]) < ring;
        for (int x = middle[0] - ring; x <= middle[0] + ring; x += is_inner && ring > 0 ? 2 * ring : 1) {
          if (x < 0 || x >= size_[0]) continue;
          const double away_x = gap(x, 0);
          if (away + away_x * away_x > limit) continue;
          any = true;
          search(x, y, z);
        }
      }
    }
    if (found.size() < count) continue;
    if (!any) break;
    std::nth_element(found.begin(), found.begin() + static_cast<long>(count) - 1, found.end());
    limit = found[count - 1].squared;
    found.resize(count);
  }
  std::sort(found.begin(), found.end());
}

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
