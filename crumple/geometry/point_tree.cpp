#include "crumple/geometry/point_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace crumple {
namespace {

constexpr int kLeaf = 8;       // points
constexpr int kMaxDeep = 64;  // halving leaves far fewer levels than this

}  // namespace

PointTree::PointTree(std::span<const Vec3> points, std::span<const double> radii) : order_(points.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.emplace_back();
  build(0, 0, static_cast<int>(points.size()), points, radii);
  for (const int point : order_) {
    points_.push_back(points[static_cast<size_t>(point)]);
    radii_.push_back(radii.empty() ? 0 : radii[static_cast<size_t>(point)]);
  }
}

void PointTree::build(int node, int begin, int end, std::span<const Vec3> points, std::span<const double> radii) {
  Node made{Vec3::Constant(1e300), Vec3::Constant(-1e300), 0, begin, end - begin};
  for (int i = begin; i < end; ++i) {
    const auto point = static_cast<size_t>(order_[static_cast<size_t>(i)]);
    made.low = made.low.cwiseMin(points[point]), made.high = made.high.cwiseMax(points[point]);
    if (!radii.empty()) made.largest = std::max(made.largest, radii[point]);
  }
  if (end - begin > kLeaf) {
    int axis = 0;
    (made.high - made.low).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
      const double at_a = points[static_cast<size_t>(a)][axis], at_b = points[static_cast<size_t>(b)][axis];
      return at_a != at_b ? at_a < at_b : a < b;
    });
    made.first = static_cast<int>(nodes_.size()), made.count = 0;
    nodes_.resize(nodes_.size() + 2);
    build(made.first, begin, middle, points, radii);
    build(made.first + 1, middle, end, points, radii);
  }
  nodes_[static_cast<size_t>(node)] = made;
}

template <class Visit>
void PointTree::search(const Vec3& place, double& within, const Visit& visit) const {
  struct Waiting {
    int node;
    double distance;
  };
  const auto distance_to = [&](int node) {
    const Node& box = nodes_[static_cast<size_t>(node)];
    return (box.low - place).cwiseMax(place - box.high).cwiseMax(0).norm() - box.largest;
  };
  std::array<Waiting, kMaxDeep> waiting;
  size_t count = 0;
  waiting[count++] = {0, distance_to(0)};
  while (count > 0) {
    const Waiting next = waiting[--count];
    if (next.distance >= within) continue;
    const Node& node = nodes_[static_cast<size_t>(next.node)];
    for (int i = node.first; i < node.first + node.count; ++i) {
      const double distance = (points_[static_cast<size_t>(i)] - place).norm() - radii_[static_cast<size_t>(i)];
      if (distance < within) visit(Hit{order_[static_cast<size_t>(i)], distance});
    }
    if (node.count > 0 || points_.empty()) continue;
    const Waiting a{node.first, distance_to(node.first)}, b{node.first + 1, distance_to(node.first + 1)};
    waiting[count++] = a.distance > b.distance ? a : b;  // the nearer one is looked at first
    waiting[count++] = a.distance > b.distance ? b : a;
  }
}

PointTree::Hit PointTree::nearest(const Vec3& place, double within, int except) const {
  Hit best{-1, within};
  search(place, best.distance, [&](const Hit& hit) {
    if (hit.point != except) best = hit;
  });
  return best;
}

std::vector<PointTree::Hit> PointTree::nearest_few(const Vec3& place, size_t count, double within) const {
  const auto nearer = [](const Hit& a, const Hit& b) { return a.distance != b.distance ? a.distance < b.distance : a.point < b.point; };
  std::vector<Hit> heap;  // the farthest is first
  if (count > 0) {
    search(place, within, [&](const Hit& hit) {
      if (heap.size() == count) std::pop_heap(heap.begin(), heap.end(), nearer), heap.pop_back();
      heap.push_back(hit);
      std::push_heap(heap.begin(), heap.end(), nearer);
      if (heap.size() == count) within = heap.front().distance;
    });
  }
  std::sort(heap.begin(), heap.end(), nearer);
  return heap;
}

}  // namespace crumple
