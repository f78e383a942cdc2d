#pragma once

#include <algorithm>
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
  /// The nearest others, nearest first; fewer if there are no more.
  void nearest(int point, size_t count, std::vector<Near>& found) const;
  /// Calls visit(other, squared distance) for all others within a distance no larger than a cell.
  template <class Visit>
  void within(int point, double distance, const Visit& visit) const {
    const Vec3& at_point = points_[static_cast<size_t>(point)];
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3 shift = distance * Vec3::Unit(k);
      low[k] = index(at_point - shift, k), high[k] = index(at_point + shift, k);
    }
    for (int z = low[2]; z <= high[2]; ++z) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int x = low[0]; x <= high[0]; ++x) {
          const auto cell = static_cast<size_t>(cell_at(x, y, z));
          for (int32_t k = begin_[cell]; k < begin_[cell + 1]; ++k) {
            const int32_t other = order_[static_cast<size_t>(k)];
            if (other == point) continue;
            const double squared = (sorted_[static_cast<size_t>(k)] - at_point).squaredNorm();
            if (squared <= distance * distance) visit(other, squared);
          }
        }
      }
    }
  }

 private:
  int index(const Vec3& p, int axis) const { return std::min(std::max(static_cast<int>((p[axis] - low_[axis]) / cell_), 0), size_[axis] - 1); }
  int cell_at(int x, int y, int z) const { return (z * size_[1] + y) * size_[0] + x; }
  std::span<const Vec3> points_;
  double cell_;
  Vec3 low_;
  int size_[3];
  std::vector<int32_t> begin_, order_;
  std::vector<Vec3> sorted_;
};

}  // namespace crumple
