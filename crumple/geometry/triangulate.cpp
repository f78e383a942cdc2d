#include "crumple/geometry/triangulate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace crumple {
namespace {

/// Finds the nodes near a triangle.
class PointGrid {
 public:
  PointGrid(const Vec2& low, const Vec2& high, size_t count) : low_(low) {
    const Vec2 size = (high - low).cwiseMax(1e-300);
    const double cells = std::max(1.0, 0.5 * static_cast<double>(count));
    columns_ = static_cast<int>(std::clamp(std::sqrt(cells * size.x() / size.y()), 1.0, cells));
    rows_ = static_cast<int>(std::clamp(cells / columns_, 1.0, cells));
    scale_ = Vec2(columns_, rows_).cwiseQuotient(size);
    buckets_.resize(static_cast<size_t>(columns_) * static_cast<size_t>(rows_));
  }
  void add(const Vec2& place, int node) { bucket(column(place.x()), row(place.y())).push_back(node); }

  /// Calls visit(node) for the nodes of all cells that a box touches, until it returns true. Nodes that are dead are forgotten on the way.
  template <class IsDead, class Visit>
  void visit(const Vec2& low, const Vec2& high, const IsDead& is_dead, const Visit& visit) {
    for (int y = row(low.y()); y <= row(high.y()); ++y) {
      for (int x = column(low.x()); x <= column(high.x()); ++x) {
        std::vector<int>& nodes = bucket(x, y);
        for (size_t i = 0; i < nodes.size();) {
          if (is_dead(nodes[i])) {
            nodes[i] = nodes.back();
            nodes.pop_back();
          } else if (visit(nodes[i++])) {
            return;
          }
        }
      }
    }
  }

 private:
  int column(double x) const { return std::clamp(static_cast<int>((x - low_.x()) * scale_.x()), 0, columns_ - 1); }
  int row(double y) const { return std::clamp(static_cast<int>((y - low_.y()) * scale_.y()), 0, rows_ - 1); }
  std::vector<int>& bucket(int x, int y) { return buckets_[static_cast<size_t>(y) * static_cast<size_t>(columns_) + static_cast<size_t>(x)]; }

  Vec2 low_, scale_;
  int columns_ = 1, rows_ = 1;
  std::vector<std::vector<int>> buckets_;
};

/// Corners of one polygon without holes, which may run back along itself.
struct Node {
  int point = 0, prev = 0, next = 0;
  bool alive = true;
  bool convex = false;  // strictly
};

/// A polygon as a ring of nodes. Holes are joined to the outer ring by bridges that are walked there and back.
class Outline {
 public:
  Outline(std::span<const Vec2> points, std::span<const Ring> rings) : points_(points) {
    std::vector<int> holes;
    for (size_t r = 0; r < rings.size(); ++r) {
      if (rings[r].size() < 3) continue;
      const int first = add_ring(rings[r]);
      if (first_ < 0) {
        first_ = first;
      } else {
        holes.push_back(leftmost(first));
      }
    }
    // From left to right: what a hole sees on its left is then already joined. [Eberly, Triangulation by ear clipping]
    std::sort(holes.begin(), holes.end(), [&](int a, int b) { return further_left(a, b); });
    for (const int hole : holes) join(hole, bridge_from(at(hole)));
  }

  const Vec2& at(int node) const { return points_[static_cast<size_t>(nodes[static_cast<size_t>(node)].point)]; }
  Node& node(int index) { return nodes[static_cast<size_t>(index)]; }
  const Node& node(int index) const { return nodes[static_cast<size_t>(index)]; }
  int turn(int index) const { return orientation(at(node(index).prev), at(index), at(node(index).next)); }

  std::vector<Node> nodes;

 private:
  int add_ring(const Ring& ring) {
    const int base = static_cast<int>(nodes.size()), count = static_cast<int>(ring.size());
    for (int i = 0; i < count; ++i) nodes.push_back({ring[static_cast<size_t>(i)], base + (i + count - 1) % count, base + (i + 1) % count});
    return base;
  }

  bool further_left(int a, int b) const {
    if (at(a).x() != at(b).x()) return at(a).x() < at(b).x();
    return at(a).y() != at(b).y() ? at(a).y() < at(b).y() : a < b;
  }

  int leftmost(int first) const {
    int best = first;
    for (int i = node(first).next; i != first; i = node(i).next) best = further_left(i, best) ? i : best;
    return best;
  }

  /// Does the inside of the polygon at a corner open towards a place?
  bool opens_towards(int corner, const Vec2& place) const {
    const Vec2 &here = at(corner), &before = at(node(corner).prev), &after = at(node(corner).next);
    if (orientation(before, here, after) > 0) return orientation(here, after, place) >= 0 && orientation(here, place, before) >= 0;
    return !(orientation(here, before, place) > 0 && orientation(here, place, after) > 0);
  }

  /// The edge that a ray from `eye` to the left meets first, by its start; where it meets it.
  int edge_on_the_left(const Vec2& eye, double& hit) const {
    int best = -1;
    int i = first_;
    do {
      const Vec2 &a = at(i), &b = at(node(i).next);
      // The inside is to the left of an edge: those that run down have it on their right hand of the page.
      if (a.y() >= eye.y() && eye.y() >= b.y() && a.y() > b.y() && orientation(a, b, eye) >= 0) {
        const double x = std::min(eye.x(), a.x() + (eye.y() - a.y()) * ((b.x() - a.x()) / (b.y() - a.y())));
        if (best < 0 || x > hit) best = i, hit = x;
      }
      i = node(i).next;
    } while (i != first_);
    return best;
  }

  int nearest(const Vec2& eye) const {
    int best = first_;
    for (int i = node(first_).next; i != first_; i = node(i).next) {
      if ((at(i) - eye).squaredNorm() < (at(best) - eye).squaredNorm()) best = i;
    }
    return best;
  }

  /// A corner of the outer ring that is seen from a corner of a hole.
  int bridge_from(const Vec2& eye) const {
    double hit = 0;
    const int edge = edge_on_the_left(eye, hit);
    if (edge < 0) return nearest(eye);  // not inside at all
    const int after = node(edge).next;
    int best = at(edge).x() < at(after).x() ? edge : after;
    const bool above = best == edge;
    const Vec2 met(hit, eye.y()), corner = at(best);
    int i = first_;
    do {
      // Of all corners between the ray and the line to `best` the one nearest to the ray hides behind no other; at equal angles the nearer.
      const Vec2& place = at(i);
      const bool within = above ? in_triangle(place, eye, corner, met) : in_triangle(place, eye, met, corner);
      if (within && (place - eye).dot(corner - eye) >= 0 && opens_towards(i, eye)) {
        const int side = (above ? 1 : -1) * orientation(eye, at(best), place);
        const double nearer = (at(best) - eye).squaredNorm() - (place - eye).squaredNorm();
        if (side > 0 || (side == 0 && (nearer > 0 || (nearer == 0 && !opens_towards(best, eye))))) best = i;
      }
      i = node(i).next;
    } while (i != first_);
    return best;
  }

  /// Walks from `outer` to `hole`, around it and back.
  void join(int hole, int outer) {
    const int hole_end = static_cast<int>(nodes.size()), outer_end = hole_end + 1;
    nodes.push_back({node(hole).point, node(hole).prev, outer_end});
    nodes.push_back({node(outer).point, hole_end, node(outer).next});
    node(node(hole).prev).next = hole_end;
    node(node(outer).next).prev = outer_end;
    node(outer).next = hole, node(hole).prev = outer;
  }

  std::span<const Vec2> points_;
  int first_ = -1;
};

/// Cuts ears off an outline until nothing is left. A corner that is no ear waits for the corner that is in its way, so that each is looked at only a
/// few times.
class EarClipper {
 public:
  explicit EarClipper(Outline outline) : outline_(std::move(outline)), grid_(make_grid()) {
    const int count = static_cast<int>(outline_.nodes.size());
    left_ = count;
    waiting_.resize(outline_.nodes.size());
    ticket_.resize(outline_.nodes.size());
    find_copies();
    for (int i = 0; i < count; ++i) {
      outline_.node(i).convex = outline_.turn(i) > 0;
      grid_.add(outline_.at(i), i);
      line_up(i);
      if (place(i) == place(outline_.node(i).next)) flat_.push_back(i);
    }
  }

  std::vector<Triangle> run() {
    while (left_ > 3) {
      if (!flat_.empty()) {
        const int node = flat_.back();
        flat_.pop_back();
        if (outline_.node(node).alive && is_flat(node)) clip(node);
        continue;
      }
      if (queue_.empty()) {
        clip(least_harm());
        continue;
      }
      const auto [node, ticket] = queue_.front();
      queue_.pop_front();
      if (!outline_.node(node).alive || ticket != ticket_[static_cast<size_t>(node)] || !outline_.node(node).convex) continue;
      const int blocker = find_blocker(node);
      if (blocker < 0) {
        clip(node);
      } else {
        waiting_[static_cast<size_t>(blocker)].push_back(node);
      }
    }
    for (int i = 0; left_ == 3; ++i) {
      if (outline_.node(i).alive) clip(i);
    }
    return std::move(triangles_);
  }

 private:
  struct Turn {
    int node, ticket;
  };

  PointGrid make_grid() const {
    Vec2 low = Vec2::Constant(1e300), high = Vec2::Constant(-1e300);
    for (int i = 0; i < static_cast<int>(outline_.nodes.size()); ++i) {
      low = low.cwiseMin(outline_.at(i)), high = high.cwiseMax(outline_.at(i));
    }
    return {low, high, outline_.nodes.size()};
  }

  /// Nodes in one place: ends of bridges, and where rings touch.
  void find_copies() {
    std::vector<int> order(outline_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](int a, int b) {
      const Vec2 &p = outline_.at(a), &q = outline_.at(b);
      return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
    };
    std::stable_sort(order.begin(), order.end(), before);
    place_.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || before(order[i - 1], order[i])) copies_.emplace_back();
      place_[static_cast<size_t>(order[i])] = static_cast<int>(copies_.size()) - 1;
      copies_.back().push_back(order[i]);
    }
  }

  /// Does the ring stay at this node, or turn back? An angle that clipping has made smaller is then no angle at all: the node must go, because
  /// nothing else tells it from the tip of a slit.
  bool is_flat(int node) const {
    const int before = outline_.node(node).prev, after = outline_.node(node).next;
    if (place(node) == place(before) || place(node) == place(after)) return true;
    const Vec2& here = outline_.at(node);
    return outline_.turn(node) == 0 && (outline_.at(before) - here).dot(outline_.at(after) - here) > 0;
  }

  void line_up(int node) { queue_.push_back({node, ++ticket_[static_cast<size_t>(node)]}); }

  void wake_waiting_for(int node) {
    std::vector<int> woken;
    woken.swap(waiting_[static_cast<size_t>(node)]);
    for (const int other : woken) {
      if (outline_.node(other).alive) line_up(other);
    }
  }

  int place(int node) const { return place_[static_cast<size_t>(node)]; }

  /// A node that a triangle over a convex corner would run over, or -1. Only corners that are not convex can be the first to reach into it.
  int find_blocker(int tip) {
    const int before = outline_.node(tip).prev, after = outline_.node(tip).next;
    const Vec2 &p = outline_.at(before), &v = outline_.at(tip), &n = outline_.at(after);
    int blocker = -1;
    // Lines that leave from the place of the tip itself cross the ear without a corner in it.
    for (const int copy : copies_[static_cast<size_t>(place(tip))]) {
      if (copy == tip || !outline_.node(copy).alive) continue;
      for (const int end : {outline_.node(copy).prev, outline_.node(copy).next}) {
        if (orientation(v, n, outline_.at(end)) > 0 && orientation(v, outline_.at(end), p) > 0) return copy;
      }
    }
    const auto is_dead = [&](int node) { return !outline_.node(node).alive; };
    const Vec2 low = p.cwiseMin(v).cwiseMin(n), high = p.cwiseMax(v).cwiseMax(n);
    grid_.visit(low, high, is_dead, [&](int node) {
      const Vec2& q = outline_.at(node);
      if (outline_.node(node).convex || (q.array() < low.array()).any() || (q.array() > high.array()).any()) return false;
      if (place(node) == place(before) || place(node) == place(tip) || place(node) == place(after)) return false;
      if (in_triangle(q, p, v, n)) blocker = node;
      return blocker >= 0;
    });
    return blocker;
  }

  /// Where rings touch or cross there may be no ear. Corners that run back along themselves cost nothing, straight ones little; otherwise the
  /// smallest goes, even face down, so that a small crossing is paid for with small triangles.
  int least_harm() {
    int best = -1;
    double least = 0;
    for (int i = 0; i < static_cast<int>(outline_.nodes.size()); ++i) {
      if (!outline_.node(i).alive) continue;
      const Vec2 to = outline_.at(outline_.node(i).prev) - outline_.at(i), from = outline_.at(outline_.node(i).next) - outline_.at(i);
      const int turn = outline_.turn(i);
      const double area = std::abs(to.x() * from.y() - to.y() * from.x());
      const double harm = turn == 0 ? (to.dot(from) >= 0 ? -2 : -1) : area;
      if (best < 0 || harm < least) best = i, least = harm;
      if (harms_ > kMaxSearches) break;  // a hopeless tangle: any corner will do
    }
    ++harms_;
    return best;
  }

  void clip(int tip) {
    Node& node = outline_.node(tip);
    const int before = node.prev, after = node.next;
    triangles_.push_back({outline_.node(before).point, node.point, outline_.node(after).point});
    outline_.node(before).next = after, outline_.node(after).prev = before;
    node.alive = false;
    --left_;
    wake_waiting_for(tip);
    for (const int changed : {before, after}) {
      outline_.node(changed).convex = outline_.turn(changed) > 0;
      wake_waiting_for(changed);
      line_up(changed);  // at the end again, so that triangles do not all meet in one corner
      if (!outline_.node(changed).convex && is_flat(changed)) flat_.push_back(changed);
    }
  }

  static constexpr int kMaxSearches = 2000;

  Outline outline_;
  PointGrid grid_;
  int left_ = 0, harms_ = 0;
  std::deque<Turn> queue_;
  std::vector<int> flat_;                  // nodes to clip before all others
  std::vector<int> ticket_;                // #nodes: only the latest turn counts
  std::vector<std::vector<int>> waiting_;  // #nodes: nodes that wait for it
  std::vector<int> place_;                 // #nodes
  std::vector<std::vector<int>> copies_;   // #places
  std::vector<Triangle> triangles_;
};

}  // namespace

double doubled_area(std::span<const Vec2> points, const Ring& ring) {
  double area = 0;
  if (ring.empty()) return area;
  const Vec2& origin = points[static_cast<size_t>(ring[0])];
  for (size_t i = 1; i + 1 < ring.size(); ++i) {
    const Vec2 a = points[static_cast<size_t>(ring[i])] - origin, b = points[static_cast<size_t>(ring[i + 1])] - origin;
    area += a.x() * b.y() - a.y() * b.x();
  }
  return area;
}

std::vector<Triangle> triangulate_polygon(std::span<const Vec2> points, std::span<const Ring> rings) {
  Outline outline(points, rings);
  if (outline.nodes.size() < 3) return {};
  return EarClipper(std::move(outline)).run();
}

}  // namespace crumple
