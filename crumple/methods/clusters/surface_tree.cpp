#include "crumple/methods/clusters/surface_tree.h"

#include <algorithm>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "crumple/core/index.h"

namespace crumple::clusters {
namespace {

/// The direction of the largest spread of points.
Vec3 longest_axis(std::span<const Vec3> points, std::span<const int32_t> chosen) {
  Vec3 mean = Vec3::Zero();
  for (const int32_t i : chosen) mean += points[at(i)];
  mean /= static_cast<double>(chosen.size());
  Mat3 spread = Mat3::Zero();
  for (const int32_t i : chosen) spread += (points[at(i)] - mean) * (points[at(i)] - mean).transpose();
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(spread);
  const Vec3 axis = eigen.eigenvectors().col(2);
  return axis.allFinite() && axis.norm() > 0.5 ? axis : Vec3::UnitX();
}

}  // namespace

WallTree::WallTree(std::span<const Vec3> particles) : rank_(particles.size()) {
  std::vector<int32_t> order(particles.size());
  std::iota(order.begin(), order.end(), 0);
  nodes_.push_back({});
  nodes_[0].end = static_cast<int32_t>(order.size());
  std::vector<double> along;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    Node node = nodes_[n];
    if (node.end - node.begin < 2) continue;
    const std::span<int32_t> inside(order.data() + node.begin, at(node.end - node.begin));
    node.normal = longest_axis(particles, inside);
    along.clear();
    for (const int32_t p : inside) along.push_back(node.normal.dot(particles[at(p)]));
    const auto middle = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 2);
    std::nth_element(along.begin(), middle, along.end());
    node.offset = 0.5 * (*std::max_element(along.begin(), middle) + *middle);
    const auto split =
        std::stable_partition(inside.begin(), inside.end(), [&](int32_t p) { return node.normal.dot(particles[at(p)]) <= node.offset; });
    const int32_t border = node.begin + static_cast<int32_t>(split - inside.begin());
    if (border == node.begin || border == node.end) continue;  // all in one place
    node.low = static_cast<int32_t>(nodes_.size()), node.high = node.low + 1;
    nodes_[n] = node;
    Node below, beyond;
    below.begin = node.begin, below.end = beyond.begin = border, beyond.end = node.end;
    nodes_.push_back(below), nodes_.push_back(beyond);
  }
  for (size_t k = 0; k < order.size(); ++k) rank_[at(order[k])] = static_cast<int32_t>(k);
}

const WallTree::Node& WallTree::between(std::span<const int32_t> particles) const {
  int32_t first = rank_[at(particles[0])], last = first;
  for (const int32_t p : particles) first = std::min(first, rank_[at(p)]), last = std::max(last, rank_[at(p)]);
  const Node* node = &nodes_[0];
  while (node->low >= 0) {
    const int32_t border = nodes_[at(node->high)].begin;
    if (first < border && last >= border) break;
    node = &nodes_[at(first < border ? node->low : node->high)];
  }
  return *node;
}

}  // namespace crumple::clusters
