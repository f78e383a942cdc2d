#include "crumple/geometry/spacing.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "crumple/core/parallel.h"
#include "crumple/geometry/point_tree.h"

namespace crumple {

Spacing measure_spacing(std::span<const Vec3> points) {
  const PointTree tree(points);
  std::vector<PointTree::Hit> hits(points.size());
  parallel_for(points.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) hits[i] = tree.nearest(points[i], std::numeric_limits<double>::infinity(), static_cast<int>(i));
  });
  const auto nearer = [](const PointTree::Hit& a, const PointTree::Hit& b) { return a.distance < b.distance; };
  const auto nearest = std::min_element(hits.begin(), hits.end(), nearer);
  Spacing spacing;
  spacing.least = nearest->distance, spacing.a = static_cast<int>(nearest - hits.begin()), spacing.b = nearest->point;
  const auto middle = hits.begin() + static_cast<long>(hits.size() / 2);
  std::nth_element(hits.begin(), middle, hits.end(), nearer);
  spacing.usual = middle->distance;
  return spacing;
}

}  // namespace crumple
