#include "crumple/methods/clusters/spacing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace crumple::clusters {
namespace {

/// Points by the cube they lie in.
struct Sorted {
  struct Row {
    int64_t key;
    int32_t point;
  };
  std::vector<Row> rows;
  Vec3 low;
  double size;
  int64_t side;

  explicit Sorted(std::span<const Vec3> points) : low(points[0]) {
    Vec3 high = points[0];
    for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
    const double longest = std::max((high - low).maxCoeff(), 1e-300);
    side = std::clamp<int64_t>(static_cast<int64_t>(std::cbrt(static_cast<double>(points.size()))), 1, 1000);
    size = longest / static_cast<double>(side);
    for (size_t i = 0; i < points.size(); ++i) rows.push_back({key(cell(points[i])), static_cast<int32_t>(i)});
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key != b.key ? a.key < b.key : a.point < b.point; });
  }
  std::array<int64_t, 3> cell(const Vec3& p) const {
    std::array<int64_t, 3> at{};
    for (int k = 0; k < 3; ++k) at[static_cast<size_t>(k)] = std::clamp<int64_t>(static_cast<int64_t>((p[k] - low[k]) / size), 0, side);
    return at;
  }
  static int64_t key(const std::array<int64_t, 3>& at) { return (at[0] * 4096 + at[1]) * 4096 + at[2]; }
};

}  // namespace

Spacing measure_spacing(std::span<const Vec3> points) {
  const Sorted sorted(points);
  Spacing spacing;
  spacing.least = std::numeric_limits<double>::infinity();
  std::vector<double> nearest;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto cell = sorted.cell(points[i]);
    double best = std::numeric_limits<double>::infinity();
    int who = -1;
    for (int64_t x = cell[0] - 1; x <= cell[0] + 1; ++x) {
      for (int64_t y = cell[1] - 1; y <= cell[1] + 1; ++y) {
        // Three cubes in a row have consecutive keys.
        const int64_t from = Sorted::key({x, y, cell[2] - 1}), to = Sorted::key({x, y, cell[2] + 1});
        auto row = std::lower_bound(sorted.rows.begin(), sorted.rows.end(), from, [](const Sorted::Row& r, int64_t key) { return r.key < key; });
        for (; row != sorted.rows.end() && row->key <= to; ++row) {
          if (row->point == static_cast<int32_t>(i)) continue;
          const double distance = (points[static_cast<size_t>(row->point)] - points[i]).norm();
          if (distance < best) best = distance, who = row->point;
        }
      }
    }
    if (best < spacing.least) spacing.least = best, spacing.a = static_cast<int>(i), spacing.b = who;
    nearest.push_back(std::min(best, sorted.size));  // nobody near: at least that far
  }
  std::nth_element(nearest.begin(), nearest.begin() + static_cast<long>(nearest.size() / 2), nearest.end());
  spacing.usual = nearest[nearest.size() / 2];
  return spacing;
}

}  // namespace crumple::clusters
