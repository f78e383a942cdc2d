#include "crumple/methods/structures/kernels.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <Eigen/Dense>

namespace crumple::structures {
namespace {

constexpr double kGrowth = 1e-3;  // of a piece's diagonal, half of it on each side
constexpr size_t kMaxPairs = 2'000'000;

int longest_axis(std::span<const Bounds> bounds) {
  Bounds all;
  for (const Bounds& one : bounds) all.add(one.low), all.add(one.high);
  int axis = 0;
  if (!all.empty()) (all.high - all.low).maxCoeff(&axis);
  return axis;
}

}  // namespace

Pairs overlapping(std::span<const Bounds> bounds, size_t most) {
  const int axis = longest_axis(bounds);
  std::vector<int> order(bounds.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return bounds[static_cast<size_t>(a)].low[axis] < bounds[static_cast<size_t>(b)].low[axis]; });
  Pairs pairs;
  std::vector<int> open;
  for (const int next : order) {
    const Bounds& now = bounds[static_cast<size_t>(next)];
    std::erase_if(open, [&](int other) { return bounds[static_cast<size_t>(other)].high[axis] < now.low[axis]; });
    for (const int other : open) {
      if (overlap(bounds[static_cast<size_t>(other)], now)) pairs.push_back(std::minmax(other, next));
    }
    if (pairs.size() > most) break;
    open.push_back(next);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

bool boxes_touch(const Transform& place_a, const Vec3& size_a, const Transform& place_b, const Vec3& size_b, double reach) {
  const Vec3 half_a = 0.5 * size_a + Vec3::Constant(0.5 * reach), half_b = 0.5 * size_b + Vec3::Constant(0.5 * reach);
  const Vec3 apart = place_b.translation - place_a.translation;
  const auto separates = [&](const Vec3& axis) {
    const double radius = (place_a.rotation.transpose() * axis).cwiseAbs().dot(half_a) + (place_b.rotation.transpose() * axis).cwiseAbs().dot(half_b);
    return std::abs(apart.dot(axis)) > radius;
  };
  for (int i = 0; i < 3; ++i) {
    if (separates(place_a.rotation.col(i)) || separates(place_b.rotation.col(i))) return false;
    for (int j = 0; j < 3; ++j) {
      const Vec3 axis = place_a.rotation.col(i).cross(place_b.rotation.col(j));
      if (axis.squaredNorm() > 1e-12 && separates(axis.normalized())) return false;  // edges that run alike bring no axis of their own
    }
  }
  return true;
}

namespace {

/// Up to four points, and the point of their hull that is next to the origin.
struct Simplex {
  std::array<Vec3, 4> points;
  int count = 0;

  /// Weights of the point next to the origin on the plane, line or point through some of them.
  Eigen::VectorXd weights(const std::vector<int>& of) const {
    const Eigen::Index n = static_cast<Eigen::Index>(of.size());
    Eigen::MatrixXd edges(3, n - 1);
    for (Eigen::Index k = 1; k < n; ++k)
      edges.col(k - 1) = points[static_cast<size_t>(of[static_cast<size_t>(k)])] - points[static_cast<size_t>(of[0])];
    Eigen::VectorXd all(n);
    if (n > 1) all.tail(n - 1) = edges.colPivHouseholderQr().solve(-points[static_cast<size_t>(of[0])]);
    all[0] = 1 - all.tail(n - 1).sum();
    return all;
  }

  /// Keeps only the points that carry the one next to the origin, which it returns.
  Vec3 reduce() {
    Vec3 best = Vec3::Constant(1e300);
    std::vector<int> kept;
    for (unsigned subset = 1; subset < (1u << count); ++subset) {
      std::vector<int> of;
      for (int k = 0; k < count; ++k) {
        if (subset >> k & 1u) of.push_back(k);
      }
      const Eigen::VectorXd share = weights(of);
      if (share.minCoeff() < 0) continue;
      Vec3 at = Vec3::Zero();
      for (size_t k = 0; k < of.size(); ++k) at += share[static_cast<Eigen::Index>(k)] * points[static_cast<size_t>(of[k])];
      if (at.squaredNorm() < best.squaredNorm()) best = at, kept = of;
    }
    for (size_t k = 0; k < kept.size(); ++k) points[k] = points[static_cast<size_t>(kept[k])];
    count = static_cast<int>(kept.size());
    return best;
  }
};

const Vec3& farthest(std::span<const Vec3> points, const Vec3& direction) {
  return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) { return a.dot(direction) < b.dot(direction); });
}

}  // namespace

bool hulls_touch(std::span<const Vec3> a, std::span<const Vec3> b, double reach) {
  Simplex simplex;
  Vec3 nearest = a[0] - b[0];
  for (int pass = 0; pass < 64 && simplex.count < 4; ++pass) {
    const double distance = nearest.norm();
    if (distance <= reach) return true;
    const Vec3 next = farthest(a, -nearest) - farthest(b, nearest);
    if (nearest.dot(next) > reach * distance) return false;                        // a plane square to it lies between them
    if (nearest.dot(nearest - next) <= 1e-12 * distance * distance) return false;  // it is the nearest there is
    simplex.points[static_cast<size_t>(simplex.count++)] = next;
    nearest = simplex.reduce();
  }
  return true;  // the origin is inside, or too near to tell
}

std::vector<Vec3> outline(const Piece& piece) {
  if (!piece.box) return piece.hull;
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    corners.push_back(piece.place * Vec3(0.5 * piece.box->cwiseProduct(corner)));
  }
  return corners;
}

Bounds bounds_of(const Piece& piece, double grown) {
  Bounds bounds = crumple::bounds_of(outline(piece));
  bounds.low.array() -= grown, bounds.high.array() += grown;
  return bounds;
}

Result<Pairs> touching_pieces(std::span<const Piece> pieces) {
  std::vector<double> sizes;
  std::vector<Bounds> bounds;
  for (const Piece& piece : pieces) {
    sizes.push_back(piece.box ? piece.box->norm() : crumple::bounds_of(piece.hull).diagonal());
    bounds.push_back(bounds_of(piece, 0.5 * kGrowth * sizes.back()));
  }
  Pairs pairs = overlapping(bounds, kMaxPairs);
  if (pairs.size() > kMaxPairs) {
    const auto& [a, b] = pairs.front();
    return input_error(
        fmt::format(": more than {} pairs of pieces touch or lie inside each other, such as \"{}\" and \"{}\"; use fewer or move them apart",
                    kMaxPairs, pieces[static_cast<size_t>(a)].name, pieces[static_cast<size_t>(b)].name));
  }
  std::erase_if(pairs, [&](const std::pair<int, int>& pair) {
    const size_t i = static_cast<size_t>(pair.first), j = static_cast<size_t>(pair.second);
    const double reach = 0.5 * kGrowth * (sizes[i] + sizes[j]);
    const Piece &a = pieces[i], &b = pieces[j];
    if (a.box && b.box) return !boxes_touch(a.place, *a.box, b.place, *b.box, reach);
    return !hulls_touch(outline(a), outline(b), reach);
  });
  return pairs;
}

}  // namespace crumple::structures
