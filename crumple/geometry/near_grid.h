#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// Another point and how far it is.
struct Near {
  double squared;
  int32_t point;
  bool operator<(const Near& other) const { return squared != other.squared ? squared < other.squared : point < other.point; }
};

/// Points in cells, for those nearest to one of them: for clouds that change often, where building a tree would cost more than it saves.
class NearGrid {
 public:
  /// `is_there`: #points or empty: 0 for those that do not count.
  NearGrid(std::span<const Vec3> points, double cell, std::span<const int32_t> is_there);
  /// The nearest others, in no particular order; fewer if there are no more. `bound`: a distance within which that many are known to be; 0: unknown.
  void nearest(int point, size_t count, double bound, std::vector<Near>& found) const;
  /// Calls visit(other, squared distance) for all others within a distance.
  template <class Visit>
  void within(int point, double distance, const Visit& visit) const {
    const Vec3& place = points_[static_cast<size_t>(point)];
    const double most = distance * distance;
    each_row(place, distance, [&](int32_t begin, int32_t end) {
      for (int32_t k = begin; k < end; ++k) {
        const double squared = (sorted_[static_cast<size_t>(k)] - place).squaredNorm();
        if (squared <= most && order_[static_cast<size_t>(k)] != point) visit(order_[static_cast<size_t>(k)], squared);
      }
    });
  }

 private:
  int index(double p, int axis) const { return static_cast<int>(std::clamp((p - low_[axis]) / cell_, 0.0, size_[axis] - 1.0)); }
  int cell_at(int x, int y, int z) const { return (z * size_[1] + y) * size_[0] + x; }
  /// Along one axis, from a place to a cell. Outermost cells have no end.
  double squared_gap(const Vec3& place, int cell, int axis) const {
    const double low = low_[axis] + cell * cell_;
    const double gap = std::max({cell > 0 ? low - place[axis] : 0.0, cell + 1 < size_[axis] ? place[axis] - low - cell_ : 0.0, 0.0});
    return gap * gap;
  }
  /// Calls visit(begin, end) for rows of sorted points that hold all within a distance: cells along x lie one after another.
  template <class Visit>
  void each_row(const Vec3& place, double distance, const Visit& visit) const {
    const double most = distance * distance;
    const int y_begin = index(place[1] - distance, 1), y_end = index(place[1] + distance, 1), z_end = index(place[2] + distance, 2);
    for (int z = index(place[2] - distance, 2); z <= z_end; ++z) {
      const double left_z = most - squared_gap(place, z, 2);
      for (int y = y_begin; y <= y_end; ++y) {
        const double left = left_z - squared_gap(place, y, 1);
        if (left < 0) continue;
        const double aside = std::sqrt(left);
        const int row = cell_at(0, y, z);
        visit(begin_[static_cast<size_t>(row + index(place[0] - aside, 0))], begin_[static_cast<size_t>(row + index(place[0] + aside, 0)) + 1]);
      }
    }
  }
  std::span<const Vec3> points_;
  double cell_;
  Vec3 low_;
  int size_[3];
  std::vector<int32_t> begin_, order_;
  std::vector<Vec3> sorted_;
};

}  // namespace crumple
