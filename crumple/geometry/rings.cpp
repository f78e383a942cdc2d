#include "crumple/geometry/rings.h"

#include <algorithm>
#include <cmath>

namespace crumple {
namespace {

/// Seen from `from` at `here`, is the way to `a` met before the way to `b` when turning clockwise? A way straight back is met last.
bool turns_sooner(const Vec2& from, const Vec2& here, const Vec2& a, const Vec2& b) {
  // 0: left half turn of a clockwise sweep that starts at `from`; 1: the rest. Clockwise from the way back means: on the right of here -> from first.
  const auto half = [&](const Vec2& to) {
    const int side = orientation(here, from, to);
    if (side != 0) return side < 0 ? 0 : 2;
    return (to - here).dot(from - here) < 0 ? 1 : 3;  // straight on, or back
  };
  const int ha = half(a), hb = half(b);
  if (ha != hb) return ha < hb;
  return orientation(here, a, b) < 0;
}

struct Box {
  Vec2 low = Vec2::Constant(1e300), high = Vec2::Constant(-1e300);
  void add(const Vec2& p) { low = low.cwiseMin(p), high = high.cwiseMax(p); }
  bool meets(const Box& other) const { return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all(); }
  bool holds(const Box& other) const { return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all(); }
};

class Nest {
 public:
  Nest(std::span<const Vec2> points, std::vector<Ring> rings, std::span<const int> groups)
      : points_(points), rings_(std::move(rings)), groups_(groups), holes_(rings_.size()) {
    for (const Ring& ring : rings_) {
      areas_.push_back(doubled_area(points_, ring));
      boxes_.emplace_back();
      for (const int p : ring) boxes_.back().add(at(p));
    }
  }

  std::vector<PlanarRegion> run() {
    std::vector<char> placed(rings_.size(), 0);
    for (const bool same_group : {true, false}) {
      for (size_t r = 0; r < rings_.size(); ++r) {
        if (areas_[r] >= 0 || placed[r]) continue;
        const int around = ring_around(r, same_group);
        if (around < 0) continue;
        holes_[static_cast<size_t>(around)].push_back(r);
        placed[r] = 1;
      }
    }
    std::vector<PlanarRegion> regions;
    for (size_t r = 0; r < rings_.size(); ++r) {
      if (placed[r]) continue;
      const bool turned = areas_[r] < 0;
      regions.push_back({{turned ? Ring(rings_[r].rbegin(), rings_[r].rend()) : rings_[r]}, turned});
      for (const size_t hole : holes_[r]) regions.back().rings.push_back(rings_[hole]);
    }
    return regions;
  }

 private:
  const Vec2& at(int point) const { return points_[static_cast<size_t>(point)]; }

  int ring_around(size_t hole, bool same_group) const {
    int best = -1;
    for (size_t r = 0; r < rings_.size(); ++r) {
      if (areas_[r] <= 0 || (groups_[r] == groups_[hole]) != same_group || !boxes_[r].holds(boxes_[hole])) continue;
      if (best >= 0 && areas_[r] >= areas_[static_cast<size_t>(best)]) continue;
      if (!is_inside(hole, r) || (!same_group && !fits(hole, r))) continue;
      best = static_cast<int>(r);
    }
    return best;
  }

  /// -1: outside, 0: on the ring, 1: inside.
  int place_in(const Vec2& p, const Ring& ring) const {
    int winding = 0;
    for (size_t i = 0; i < ring.size(); ++i) {
      const Vec2 &a = at(ring[i]), &b = at(ring[(i + 1) % ring.size()]);
      if ((a.y() > p.y() && b.y() > p.y()) || (a.y() < p.y() && b.y() < p.y()) || (a.x() < p.x() && b.x() < p.x())) continue;
      const int side = orientation(a, b, p);
      if (side == 0 && (p - a).dot(p - b) <= 0) return 0;
      if (a.y() <= p.y() && b.y() > p.y() && side > 0) ++winding;
      if (a.y() > p.y() && b.y() <= p.y() && side < 0) --winding;
    }
    return winding != 0 ? 1 : -1;
  }

  /// By the first corner or middle of an edge that does not lie on the other ring; a ring in the same place is inside.
  bool is_inside(size_t inner, size_t outer) const {
    const Ring& ring = rings_[inner];
    for (size_t i = 0; i < ring.size(); ++i) {
      const Vec2 &p = at(ring[i]), q = 0.5 * (p + at(ring[(i + 1) % ring.size()]));
      for (const Vec2& probe : {p, q}) {
        const int place = place_in(probe, rings_[outer]);
        if (place != 0) return place > 0;
      }
    }
    return true;
  }

  /// A hole of a foreign group fits into a ring if it crosses neither it nor its holes, and is in none of them nor around them.
  bool fits(size_t hole, size_t outer) const {
    if (cross(hole, outer)) return false;
    for (const size_t other : holes_[outer]) {
      if (!boxes_[other].meets(boxes_[hole])) continue;
      if (cross(hole, other) || is_inside(hole, other) || is_inside(other, hole)) return false;
    }
    return true;
  }

  struct Segment {
    Vec2 a, b;
  };

  /// The edges of a ring that touch a box.
  std::vector<Segment> edges_in(const Ring& ring, const Box& box) const {
    std::vector<Segment> found;
    for (size_t i = 0; i < ring.size(); ++i) {
      const Segment edge{at(ring[i]), at(ring[(i + 1) % ring.size()])};
      Box own;
      own.add(edge.a), own.add(edge.b);
      if (own.meets(box)) found.push_back(edge);
    }
    return found;
  }

  bool cross(size_t r, size_t s) const {
    const std::vector<Segment> first = edges_in(rings_[r], boxes_[s]), second = edges_in(rings_[s], boxes_[r]);
    for (const Segment& e : first) {
      for (const Segment& f : second) {
        if (std::max(e.a.x(), e.b.x()) < std::min(f.a.x(), f.b.x()) || std::max(f.a.x(), f.b.x()) < std::min(e.a.x(), e.b.x())) continue;
        if (orientation(e.a, e.b, f.a) * orientation(e.a, e.b, f.b) < 0 && orientation(f.a, f.b, e.a) * orientation(f.a, f.b, e.b) < 0) return true;
      }
    }
    return false;
  }

  std::span<const Vec2> points_;
  std::vector<Ring> rings_;
  std::span<const int> groups_;
  std::vector<std::vector<size_t>> holes_;  // #rings
  std::vector<double> areas_;
  std::vector<Box> boxes_;
};

}  // namespace

std::vector<Ring> trace_rings(std::span<const Vec2> points, std::span<const DirectedEdge> edges) {
  std::vector<int> order(edges.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return edges[static_cast<size_t>(a)][0] < edges[static_cast<size_t>(b)][0]; });
  std::vector<char> used(edges.size(), 0);
  const auto edge = [&](int e) -> const DirectedEdge& { return edges[static_cast<size_t>(e)]; };
  const auto at = [&](int p) -> const Vec2& { return points[static_cast<size_t>(p)]; };
  const auto next_edge = [&](int from, int here) {
    int best = -1;
    auto i = std::lower_bound(order.begin(), order.end(), here, [&](int e, int point) { return edge(e)[0] < point; });
    for (; i != order.end() && edge(*i)[0] == here; ++i) {
      if (used[static_cast<size_t>(*i)]) continue;
      if (best < 0 || turns_sooner(at(from), at(here), at(edge(*i)[1]), at(edge(best)[1]))) best = *i;
    }
    return best;
  };
  std::vector<Ring> rings;
  for (int start = 0; start < static_cast<int>(edges.size()); ++start) {
    if (used[static_cast<size_t>(start)]) continue;
    // The edge that a ring closes with is not known at its start: it ends when its first point has no way on, or the best way on is the first edge.
    Ring ring = {edge(start)[0]};
    int from = edge(start)[0], here = edge(start)[1];
    used[static_cast<size_t>(start)] = 1;
    while (true) {
      if (here == ring[0]) {
        used[static_cast<size_t>(start)] = 0;
        const int on = next_edge(from, here);
        used[static_cast<size_t>(start)] = 1;
        if (on == start || on < 0) break;
      }
      const int on = next_edge(from, here);
      if (on < 0) break;
      used[static_cast<size_t>(on)] = 1;
      ring.push_back(here);
      from = here, here = edge(on)[1];
    }
    if (here == ring[0] && ring.size() >= 3) rings.push_back(std::move(ring));
  }
  return rings;
}

std::vector<PlanarRegion> nest_rings(std::span<const Vec2> points, std::vector<Ring> rings, std::span<const int> groups) {
  return Nest(points, std::move(rings), groups).run();
}

bool meets_itself(std::span<const Vec2> points, const Ring& ring) {
  const auto corner = [&](size_t i) -> const Vec2& { return points[static_cast<size_t>(ring[i % ring.size()])]; };
  const auto spans = [](const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
    return (a.cwiseMin(b).array() <= c.cwiseMax(d).array()).all() && (c.cwiseMin(d).array() <= a.cwiseMax(b).array()).all();
  };
  for (size_t i = 0; i < ring.size(); ++i) {
    for (size_t j = i + 2; j < ring.size(); ++j) {
      if (i == 0 && j + 1 == ring.size()) continue;
      const Vec2 &a = corner(i), &b = corner(i + 1), &c = corner(j), &d = corner(j + 1);
      if (spans(a, b, c, d) && orientation(a, b, c) * orientation(a, b, d) <= 0 && orientation(c, d, a) * orientation(c, d, b) <= 0) return true;
    }
  }
  return false;
}

}  // namespace crumple
