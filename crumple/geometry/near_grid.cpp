#include "crumple/geometry/near_grid.h"

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
    of[i] = cell_at(index(points[i][0], 0), index(points[i][1], 1), index(points[i][2], 2)), ++begin_[at(of[i]) + 1];
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

void NearGrid::nearest(int point, size_t count, double bound, std::vector<Near>& found) const {
  const double widest = cell_ * std::sqrt(static_cast<double>(size_[0]) * size_[0] + static_cast<double>(size_[1]) * size_[1] + static_cast<double>(size_[2]) * size_[2]);
  for (double reach = bound > 0 ? bound * (1 + 1e-12) : 1.5 * cell_;; reach *= 1.5) {
    const Vec3& place = points_[at(point)];
    const double most = reach * reach;
    size_t some = 0;
    each_row(place, reach, [&](int32_t begin, int32_t end) {
      if (found.size() < some + at(end - begin)) found.resize(2 * (some + at(end - begin)));
      for (int32_t k = begin; k < end; ++k) {  // without a branch: about half of them are near
        found[some].squared = (sorted_[at(k)] - place).squaredNorm(), found[some].point = order_[at(k)];
        some += (found[some].squared <= most) & (found[some].point != point) ? 1 : 0;
      }
    });
    found.resize(some);
    if (found.size() >= count || reach > widest) break;
  }
  if (found.size() <= count) return;
  std::nth_element(found.begin(), found.begin() + static_cast<long>(count) - 1, found.end());
  found.resize(count);
}

}  // namespace crumple
