#include "crumple/geometry/near_grid.h"

#include <cmath>

#include "crumple/core/index.h"

namespace crumple {

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

}  // namespace crumple
