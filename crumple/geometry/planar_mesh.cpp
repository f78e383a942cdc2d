#include "crumple/geometry/planar_mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>

namespace crumple {
namespace {

/// Side k of a triangle runs from its corner k to corner k + 1.
struct Side {
  int triangle = -1, k = 0;
};

constexpr int kNext[] = {1, 2, 0};

class PlanarMesh {
 public:
  PlanarMesh(std::span<const Vec2> points, std::vector<Triangle>& triangles) : points_(points), triangles_(triangles) {
    opposite_.resize(triangles.size());
    struct Use {
      int low, high, triangle, k;
      bool forward;
    };
    std::vector<Use> uses;
    uses.reserve(3 * triangles.size());
    for (size_t t = 0; t < triangles.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        const int a = corner({static_cast<int>(t), k}), b = corner({static_cast<int>(t), kNext[k]});
        uses.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), k, a < b});
      }
    }
    const auto key = [](const Use& use) { return std::pair(use.low, use.high); };
    std::stable_sort(uses.begin(), uses.end(), [&](const Use& a, const Use& b) { return key(a) < key(b); });
    for (size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
      while (end < uses.size() && key(uses[end]) == key(uses[begin])) ++end;
      // Edges of the rim, and those where rings touch, stay.
      if (end - begin == 2 && uses[begin].forward != uses[begin + 1].forward) {
        join({uses[begin].triangle, uses[begin].k}, {uses[begin + 1].triangle, uses[begin + 1].k});
      }
    }
  }

  void set_points(std::span<const Vec2> points) { points_ = points; }
  size_t size() const { return triangles_.size(); }
  int corner(Side side) const { return triangles_[static_cast<size_t>(side.triangle)][static_cast<size_t>(side.k)]; }
  int end(Side side) const { return corner({side.triangle, kNext[side.k]}); }
  bool is_inner(Side side) const { return opposite(side).triangle >= 0; }
  double length(Side side) const { return (at(end(side)) - at(corner(side))).norm(); }

  /// Dividing edges beside a long rim brings points nearer and nearer to it without end.
  bool is_beside_rim_longer_than(double edge, Side side) const {
    for (const int t : {side.triangle, opposite(side).triangle}) {
      for (int k = 0; k < 3; ++k) {
        if (!is_inner({t, k}) && length({t, k}) > edge) return true;
      }
    }
    return false;
  }

  void check_all() {
    for (size_t t = 0; t < triangles_.size(); ++t) push_sides(static_cast<int>(t));
    flip_pending();
  }

  /// Flips until nothing is left to check. Each flip rounds the mesh, so it ends; the limit is for numbers that rounding has made contradict.
  void flip_pending() {
    size_t budget = 100 * triangles_.size() + 1000;
    while (!pending_.empty() && budget-- > 0) {
      const Side side = pending_.back();
      pending_.pop_back();
      if (is_inner(side) && wants_flip(side)) flip(side);
    }
    pending_.clear();
  }

  void watch_edges_longer_than(double length) {
    watched_length_ = length;
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      for (int k = 0; k < 3; ++k) watch({t, k});
    }
  }

  /// Takes the longest inner edge off the watch list.
  std::optional<Side> longest_watched() {
    while (!watched_.empty()) {
      const Watched top = watched_.top();
      watched_.pop();
      if (is_inner(top.side) && corner(top.side) == top.a && end(top.side) == top.b) return top.side;  // otherwise it has been flipped away
    }
    return std::nullopt;
  }

  /// Puts a point on an inner edge; false if that would turn a triangle over.
  bool split(Side side, int point) {
    const Side other = opposite(side);
    const int a = corner(side), b = end(side), c = apex(side), d = apex(other);
    if (turn(a, point, c) <= 0 || turn(point, b, c) <= 0 || turn(b, point, d) <= 0 || turn(point, a, d) <= 0) return false;
    const Side bc = opposite({side.triangle, kNext[side.k]}), ca = opposite({side.triangle, kNext[kNext[side.k]]});
    const Side ad = opposite({other.triangle, kNext[other.k]}), db = opposite({other.triangle, kNext[kNext[other.k]]});
    const int t = side.triangle, u = other.triangle, v = add(), w = add();
    set(t, {a, point, c}), set(v, {point, b, c}), set(u, {b, point, d}), set(w, {point, a, d});
    join({t, 0}, {w, 0}), join({v, 0}, {u, 0}), join({t, 1}, {v, 2}), join({u, 1}, {w, 2});
    join({t, 2}, ca), join({v, 1}, bc), join({u, 2}, db), join({w, 1}, ad);
    for (const int changed : {t, u, v, w}) push_sides(changed);
    return true;
  }

  /// Puts a point inside a triangle; false if it is not strictly inside.
  bool split(int t, int point) {
    const Triangle c = triangles_[static_cast<size_t>(t)];
    if (turn(c[0], c[1], point) <= 0 || turn(c[1], c[2], point) <= 0 || turn(c[2], c[0], point) <= 0) return false;
    const Side ab = opposite({t, 0}), bc = opposite({t, 1}), ca = opposite({t, 2});
    const int u = add(), v = add();
    set(t, {c[0], c[1], point}), set(u, {c[1], c[2], point}), set(v, {c[2], c[0], point});
    join({t, 0}, ab), join({u, 0}, bc), join({v, 0}, ca), join({t, 1}, {u, 2}), join({u, 1}, {v, 2}), join({v, 1}, {t, 2});
    for (const int changed : {t, u, v}) push_sides(changed);
    return true;
  }

  /// Puts a point where it lies, inside a triangle or on an inner edge.
  bool insert(int point) {
    for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
      const Triangle& c = triangles_[static_cast<size_t>(t)];
      int on = -1, count = 0;
      bool is_outside = false;
      for (int k = 0; k < 3 && !is_outside; ++k) {
        const int side = turn(c[static_cast<size_t>(k)], c[static_cast<size_t>(kNext[k])], point);
        is_outside = side < 0;
        if (side == 0) on = k, ++count;
      }
      if (is_outside) continue;
      if (count == 0) return split(t, point);
      return count == 1 && is_inner({t, on}) && split(Side{t, on}, point);
    }
    return false;
  }

 private:
  const Vec2& at(int point) const { return points_[static_cast<size_t>(point)]; }
  int turn(int a, int b, int c) const { return orientation(at(a), at(b), at(c)); }
  int apex(Side side) const { return corner({side.triangle, kNext[kNext[side.k]]}); }
  Side opposite(Side side) const { return opposite_[static_cast<size_t>(side.triangle)][static_cast<size_t>(side.k)]; }

  void join(Side a, Side b) {
    if (a.triangle >= 0) opposite_[static_cast<size_t>(a.triangle)][static_cast<size_t>(a.k)] = b;
    if (b.triangle >= 0) opposite_[static_cast<size_t>(b.triangle)][static_cast<size_t>(b.k)] = a;
  }

  int add() {
    triangles_.emplace_back(), opposite_.emplace_back();
    return static_cast<int>(triangles_.size()) - 1;
  }
  void set(int t, const Triangle& corners) { triangles_[static_cast<size_t>(t)] = corners; }

  /// Of a triangle that has changed.
  void push_sides(int t) {
    for (int k = 0; k < 3; ++k) {
      if (is_inner({t, k})) pending_.push_back({t, k});
      watch({t, k});
    }
  }

  /// Of the two sides of an edge one is enough.
  void watch(Side side) {
    if (corner(side) > end(side) || !is_inner(side)) return;
    const double length_now = length(side);
    if (length_now > watched_length_) watched_.push({length_now, corner(side), end(side), side});
  }

  bool wants_flip(Side side) const {
    const Side other = opposite(side);
    const int a = corner(side), b = end(side), c = apex(side), d = apex(other);
    if (c == d || turn(a, d, c) <= 0 || turn(d, b, c) <= 0) return false;
    if (turn(a, b, c) < 0 || turn(b, a, d) < 0) return true;  // one lies face down; the new ones do not
    const Vec2 ca = at(a) - at(c), cb = at(b) - at(c), da = at(a) - at(d), db = at(b) - at(d);
    // The sine of the sum of both angles that look at the edge: negative if they are more than half a turn.
    const double sine = (ca.x() * cb.y() - ca.y() * cb.x()) * da.dot(db) + ca.dot(cb) * (db.x() * da.y() - db.y() * da.x());
    return sine < -1e-12 * std::sqrt(ca.squaredNorm() * cb.squaredNorm() * da.squaredNorm() * db.squaredNorm());
  }

  void flip(Side side) {
    const Side other = opposite(side);
    const int a = corner(side), b = end(side), c = apex(side), d = apex(other), t = side.triangle, u = other.triangle;
    const Side bc = opposite({t, kNext[side.k]}), ca = opposite({t, kNext[kNext[side.k]]});
    const Side ad = opposite({u, kNext[other.k]}), db = opposite({u, kNext[kNext[other.k]]});
    set(t, {a, d, c}), set(u, {d, b, c});
    join({t, 0}, ad), join({t, 1}, {u, 2}), join({t, 2}, ca), join({u, 0}, db), join({u, 1}, bc);
    push_sides(t), push_sides(u);
  }

  std::span<const Vec2> points_;
  std::vector<Triangle>& triangles_;
  std::vector<std::array<Side, 3>> opposite_;  // #triangles
  std::vector<Side> pending_;

  struct Watched {
    double length;
    int a, b;
    Side side;
    bool operator<(const Watched& other) const { return std::tie(length, a, b) < std::tie(other.length, other.a, other.b); }
  };
  std::priority_queue<Watched> watched_;
  double watched_length_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void make_delaunay(std::span<const Vec2> points, std::vector<Triangle>& triangles) {
  PlanarMesh(points, triangles).check_all();
}

std::vector<std::array<int, 2>> divide_inside(std::vector<Vec2>& points, std::vector<Triangle>& triangles, double edge, size_t most) {
  std::vector<std::array<int, 2>> added;
  PlanarMesh mesh(points, triangles);
  mesh.check_all();
  mesh.watch_edges_longer_than(edge);
  while (added.size() < most) {
    const std::optional<Side> side = mesh.longest_watched();
    if (!side) break;
    if (mesh.is_beside_rim_longer_than(edge, *side)) continue;
    const int a = mesh.corner(*side), b = mesh.end(*side);
    points.push_back(0.5 * (points[static_cast<size_t>(a)] + points[static_cast<size_t>(b)]));
    mesh.set_points(points);
    if (mesh.split(*side, static_cast<int>(points.size()) - 1)) {
      added.push_back({a, b});
      mesh.flip_pending();
    } else {
      points.pop_back();
      mesh.set_points(points);
    }
  }
  return added;
}

std::vector<int> insert_points(std::vector<Vec2>& points, std::vector<Triangle>& triangles, std::span<const Vec2> further) {
  std::vector<int> numbers;
  PlanarMesh mesh(points, triangles);
  mesh.check_all();
  for (const Vec2& p : further) {
    points.push_back(p);
    mesh.set_points(points);
    const bool is_in = mesh.insert(static_cast<int>(points.size()) - 1);
    numbers.push_back(is_in ? static_cast<int>(points.size()) - 1 : -1);
    if (is_in) {
      mesh.flip_pending();
    } else {
      points.pop_back();
      mesh.set_points(points);
    }
  }
  return numbers;
}

}  // namespace crumple
