#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// Points that keep their distance, found through cells as wide as that distance.
class PointGrid {
 public:
  static constexpr double kMaxCells = 3e7;

  /// How many cells a box needs; may be more than there can be.
  static double cells_for(const Bounds& box, double distance) {
    double count = 1;
    for (int k = 0; k < 3; ++k) count *= std::floor((box.high[k] - box.low[k]) / distance) + 3;
    return count;
  }
  PointGrid(const Bounds& box, double distance) : low_(box.low), distance_(distance) {
    for (int k = 0; k < 3; ++k) size_[k] = static_cast<int>((box.high[k] - box.low[k]) / distance) + 3;
    first_.assign(static_cast<size_t>(size_[0]) * size_[1] * size_[2], -1);
  }

  /// The cell of a place; places beyond the box have none (-1).
  int cell_at(const Vec3& place) const {
    const Vec3 at = (place - low_) / distance_;
    int index[3];
    for (int k = 0; k < 3; ++k) {
      if (!(at[k] > -1 && at[k] < size_[k] - 1)) return -1;
      index[k] = static_cast<int>(std::floor(at[k])) + 1;
    }
    return (index[2] * size_[1] + index[1]) * size_[0] + index[0];
  }
  Vec3 cell_middle(int cell) const {
    const Vec3 index(cell % size_[0], cell / size_[0] % size_[1], cell / size_[0] / size_[1]);
    return low_ + (index - Vec3::Constant(0.5)) * distance_;
  }
  /// The cells that share a face with one; -1 at the end of the box.
  std::array<int, 6> beside(int cell) const {
    const int at[3] = {cell % size_[0], cell / size_[0] % size_[1], cell / size_[0] / size_[1]}, stride[3] = {1, size_[0], size_[0] * size_[1]};
    std::array<int, 6> found;
    for (size_t k = 0; k < 3; ++k) {
      found[2 * k] = at[k] > 0 ? cell - stride[k] : -1;
      found[2 * k + 1] = at[k] + 1 < size_[k] ? cell + stride[k] : -1;
    }
    return found;
  }
  size_t cells() const { return first_.size(); }

  /// Whether all points are at least the distance away.
  bool is_free(const Vec3& place, int cell) const {
    const int at[3] = {cell % size_[0], cell / size_[0] % size_[1], cell / size_[0] / size_[1]};
    const double squared = distance_ * distance_;
    for (int z = std::max(at[2] - 1, 0); z <= std::min(at[2] + 1, size_[2] - 1); ++z) {
      for (int y = std::max(at[1] - 1, 0); y <= std::min(at[1] + 1, size_[1] - 1); ++y) {
        for (int x = std::max(at[0] - 1, 0); x <= std::min(at[0] + 1, size_[0] - 1); ++x) {
          for (int point = first_[(static_cast<size_t>(z) * size_[1] + y) * size_[0] + x]; point >= 0; point = next_[point]) {
            if ((points_[point] - place).squaredNorm() < squared) return false;
          }
        }
      }
    }
    return true;
  }
  void add(const Vec3& place, int cell) {
    next_.push_back(first_[cell]);
    first_[cell] = static_cast<int>(points_.size());
    points_.push_back(place);
  }
  const std::vector<Vec3>& points() const { return points_; }
  std::vector<Vec3> take() { return std::move(points_); }

 private:
  Vec3 low_;
  double distance_;
  int size_[3];
  std::vector<int> first_;    // #cells: a point in it, or -1
  std::vector<int> next_;     // #points: another in its cell, or -1
  std::vector<Vec3> points_;  // #points
};

}  // namespace crumple
