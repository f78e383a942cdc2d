#include "crumple/geometry/bvh.h"

#include <algorithm>
#include <numeric>

namespace crumple {

Vec3 closest_barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  // Voronoi regions of the triangle's features [Ericson, Real-Time Collision Detection, 5.1.5].
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double v = d1 - d3 > 0 ? d1 / (d1 - d3) : 0;
    return {1 - v, v, 0};
  }
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double w = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
    return {1 - w, 0, w};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double length = (d4 - d3) + (d5 - d6);
    const double w = length > 0 ? (d4 - d3) / length : 0;
    return {0, 1 - w, w};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return {1, 0, 0};  // a triangle without area
  return {va / sum, vb / sum, vc / sum};
}

TriangleTree::TriangleTree(std::span<const Vec3> positions, std::span<const Triangle> triangles)
    : positions_(positions.begin(), positions.end()), triangles_(triangles.begin(), triangles.end()), order_(triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (triangles_.empty()) return;
  std::vector<Vec3> centers;
  for (const auto& [a, b, c] : triangles_) centers.push_back((positions_[a] + positions_[b] + positions_[c]) / 3.0);
  nodes_.reserve(2 * triangles_.size());
  nodes_.emplace_back();
  build(0, 0, static_cast<int>(triangles_.size()), centers);
}

void TriangleTree::build(int node, int begin, int end, std::vector<Vec3>& centers) {
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300), center_low = low, center_high = high;
  for (int i = begin; i < end; ++i) {
    for (const int v : triangles_[order_[i]]) low = low.cwiseMin(positions_[v]), high = high.cwiseMax(positions_[v]);
    center_low = center_low.cwiseMin(centers[order_[i]]), center_high = center_high.cwiseMax(centers[order_[i]]);
  }
  nodes_[node] = {low, high, begin, end - begin};
  if (end - begin <= 4) return;
  int axis = 0;
  (center_high - center_low).maxCoeff(&axis);
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
    return centers[a][axis] != centers[b][axis] ? centers[a][axis] < centers[b][axis] : a < b;
  });
  const int child = static_cast<int>(nodes_.size());
  nodes_[node].first = child, nodes_[node].count = 0;
  nodes_.emplace_back(), nodes_.emplace_back();
  build(child, begin, middle, centers);
  build(child + 1, middle, end, centers);
}

TriangleTree::Hit TriangleTree::closest(const Vec3& point, double within) const {
  Hit best;
  if (nodes_.empty()) return best;
  double best_squared = within < 1e150 ? within * within : 1e300;
  auto distance_squared = [&](const Node& node) { return (point - point.cwiseMax(node.low).cwiseMin(node.high)).squaredNorm(); };
  std::array<int, 128> stack{};
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = nodes_[stack[--depth]];
    if (distance_squared(node) >= best_squared) continue;
    if (node.count == 0) {
      const bool left_nearer = distance_squared(nodes_[node.first]) <= distance_squared(nodes_[node.first + 1]);
      stack[depth++] = node.first + (left_nearer ? 1 : 0);
      stack[depth++] = node.first + (left_nearer ? 0 : 1);
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      const auto& [a, b, c] = triangles_[order_[i]];
      const Vec3 w = closest_barycentric(point, positions_[a], positions_[b], positions_[c]);
      const Vec3 nearest = w[0] * positions_[a] + w[1] * positions_[b] + w[2] * positions_[c];
      const double squared = (point - nearest).squaredNorm();
      if (squared < best_squared) best_squared = squared, best = {order_[i], nearest, w, std::sqrt(squared)};
    }
  }
  return best;
}

}  // namespace crumple
