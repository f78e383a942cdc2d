#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple::clusters {

/// Points in buckets, to find those nearest to a place; ties go to the lower number.
class NearestPoints {
 public:
  struct Found {
    double squared = 0;  // m^2
    int32_t point = -1;
    bool operator<(const Found& other) const { return squared != other.squared ? squared < other.squared : point < other.point; }
  };

  NearestPoints() = default;
  explicit NearestPoints(std::span<const Vec3> points) : points_(points.begin(), points.end()) {
    Bounds box;
    for (const Vec3& p : points_) box.add(p);
    const Vec3 size = (box.high - box.low).cwiseMax(1e-12 + 1e-6 * box.diagonal());
    // About two points in a bucket; directions thinner than a bucket are not divided.
    std::array<bool, 3> counts = {true, true, true};
    for (int pass = 0; pass < 3; ++pass) {
      double room = 2.0 / static_cast<double>(points_.size());
      int directions = 0;
      for (int k = 0; k < 3; ++k) room *= counts[static_cast<size_t>(k)] ? ++directions, size[k] : 1;
      width_ = directions > 0 ? std::pow(room, 1.0 / directions) : size.maxCoeff();
      for (int k = 0; k < 3; ++k) counts[static_cast<size_t>(k)] = counts[static_cast<size_t>(k)] && size[k] > width_;
    }
    double narrowest = size.maxCoeff();
    for (int k = 0; k < 3; ++k) {
      counts_[k] = static_cast<int>(std::clamp(size[k] / width_, 1.0, 1024.0));
      scale_[k] = counts_[k] / size[k];
      if (counts_[k] > 1) narrowest = std::min(narrowest, size[k] / counts_[k]);
    }
    width_ = narrowest;
    low_ = box.low;
    begin_.assign(static_cast<size_t>(counts_[0]) * counts_[1] * counts_[2] + 1, 0);
    for (const Vec3& p : points_) ++begin_[bucket_of(cell(p)) + 1];
    for (size_t b = 1; b < begin_.size(); ++b) begin_[b] += begin_[b - 1];
    order_.resize(points_.size());
    std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
    for (size_t i = 0; i < points_.size(); ++i) order_[static_cast<size_t>(next[bucket_of(cell(points_[i]))]++)] = static_cast<int32_t>(i);
  }

  /// The nearest `count` of the points for which accept(point) is true, the nearest first. None is farther than `reach`.
  template <class Accept>
  void find(const Vec3& place, size_t count, double reach, const Accept& accept, std::vector<Found>& found) const {
    found.clear();
    const std::array<int, 3> middle = cell(place);
    const double outside = (place - (low_ + extent().cwiseProduct(unit(place)))).norm();
    double limit = reach * reach;
    const int farthest = std::max({counts_[0], counts_[1], counts_[2]});
    for (int ring = 0; ring <= farthest; ++ring) {
      // Points beyond ring r are at least r - 1 whole buckets away.
      const double nearest = std::max(outside, (ring - 1) * width_);
      if (nearest > 0 && nearest * nearest > limit) break;
      visit_ring(middle, ring, [&](int32_t point) {
        const Found candidate{(points_[static_cast<size_t>(point)] - place).squaredNorm(), point};
        if (candidate.squared > limit || (found.size() == count && !(candidate < found.back())) || !accept(point)) return;
        found.insert(std::upper_bound(found.begin(), found.end(), candidate), candidate);
        if (found.size() > count) found.pop_back();
        if (found.size() == count) limit = std::min(limit, found.back().squared);
      });
    }
  }

  const std::vector<Vec3>& points() const { return points_; }

 private:
  Vec3 extent() const { return Vec3(counts_[0], counts_[1], counts_[2]).cwiseQuotient(scale_); }
  /// Where in the box, 0 .. 1, the point of it nearest to a place is.
  Vec3 unit(const Vec3& place) const { return (place - low_).cwiseQuotient(extent()).cwiseMax(0.0).cwiseMin(1.0); }
  std::array<int, 3> cell(const Vec3& place) const {
    std::array<int, 3> index;
    for (int k = 0; k < 3; ++k) index[static_cast<size_t>(k)] = static_cast<int>(std::clamp((place[k] - low_[k]) * scale_[k], 0.0, counts_[k] - 1.0));
    return index;
  }
  size_t bucket_of(const std::array<int, 3>& c) const {
    return (static_cast<size_t>(c[2]) * static_cast<size_t>(counts_[1]) + static_cast<size_t>(c[1])) * static_cast<size_t>(counts_[0]) +
           static_cast<size_t>(c[0]);
  }
  template <class Visit>
  void visit_ring(const std::array<int, 3>& middle, int ring, const Visit& visit) const {
    for (int z = std::max(middle[2] - ring, 0); z <= std::min(middle[2] + ring, counts_[2] - 1); ++z) {
      for (int y = std::max(middle[1] - ring, 0); y <= std::min(middle[1] + ring, counts_[1] - 1); ++y) {
        const bool shell = std::abs(z - middle[2]) == ring || std::abs(y - middle[1]) == ring;
        for (int x = middle[0] - ring; x <= middle[0] + ring; x += shell || ring == 0 ? 1 : 2 * ring) {
          if (x < 0 || x >= counts_[0]) continue;
          const size_t b = bucket_of({x, y, z});
          for (int32_t k = begin_[b]; k < begin_[b + 1]; ++k) visit(order_[static_cast<size_t>(k)]);
        }
      }
    }
  }

  std::vector<Vec3> points_;
  Vec3 low_ = Vec3::Zero(), scale_ = Vec3::Ones();
  double width_ = 1;  // m, of the narrowest side of a bucket
  int counts_[3] = {1, 1, 1};
  std::vector<int32_t> begin_;  // #buckets + 1
  std::vector<int32_t> order_;  // #points by bucket
};

}  // namespace crumple::clusters
