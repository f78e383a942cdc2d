#include "crumple/geometry/convex_polyhedron.h"

#include <algorithm>
#include <cstdint>

namespace crumple {
namespace {

struct RimEdge {
  int from, to;
};

struct CutEdge {
  int low, high;  // its ends
  int point;      // where it is cut
};

double value_at(const Linear& side, const Vec3& x) {
  return side[0] * x[0] + side[1] * x[1] + side[2] * x[2] + side[3];
}
double value_at(const Linear& side, const Eigen::Vector4d& b) {
  return side[0] * b[0] + side[1] * b[1] + side[2] * b[2] + side[3] * b[3];
}

/// Both weights come out the same bits whichever end is named first and whichever side of the plane is kept.
template <class Point>
Point between(const Point& a, const Point& b, double value_a, double value_b) {
  return a * (value_b / (value_b - value_a)) + b * (value_a / (value_a - value_b));
}

Vec3 cut_point(const Linear&, const Vec3& a, const Vec3& b, double value_a, double value_b) {
  return between(a, b, value_a, value_b);
}

/// A point on an edge of the tetrahedron follows from the values at the ends of that edge alone: it is the same in all tetrahedra around the edge,
/// whatever else they were cut by before.
Eigen::Vector4d cut_point(const Linear& side, const Eigen::Vector4d& a, const Eigen::Vector4d& b, double value_a, double value_b) {
  int ends[4], count = 0;
  for (int i = 0; i < 4; ++i) {
    if (a[i] != 0 || b[i] != 0) ends[count++] = i;
  }
  if (count != 2 || !(side[ends[0]] * side[ends[1]] < 0)) return between(a, b, value_a, value_b);
  return between<Eigen::Vector4d>(Eigen::Vector4d::Unit(ends[0]), Eigen::Vector4d::Unit(ends[1]), side[ends[0]], side[ends[1]]);
}

/// One cut through a solid: builds what is left beside it.
template <int N>
class Clipper {
 public:
  using Solid = ConvexPolyhedron<N>;
  Clipper(const Solid& solid, const Linear& side, const std::vector<double>& values, const std::vector<int8_t>& signs)
      : solid_(solid), side_(side), values_(values), signs_(signs), moved_(solid.points.size(), -1) {}

  Solid run(int tag) {
    result_.points.reserve(solid_.points.size() + 4);
    result_.corners.reserve(solid_.corners.size() + 16);
    for (const auto& face : solid_.faces) clip_face(face);
    add_caps(tag);
    return std::move(result_);
  }

 private:
  int sign(int point) const { return signs_[static_cast<size_t>(point)]; }

  void clip_face(const typename Solid::Face& face) {
    loop_.clear();
    for (int i = face.begin; i < face.end; ++i) {
      const int a = solid_.corners[static_cast<size_t>(i)], b = solid_.corners[static_cast<size_t>(i + 1 < face.end ? i + 1 : face.begin)];
      if (sign(a) <= 0) loop_.push_back({a, sign(a) == 0});
      if (sign(a) * sign(b) < 0) loop_.push_back({cut(a, b), true});
    }
    if (loop_.size() < 3) return;  // an edge there and back, or less: nothing is missing without it
    const int begin = static_cast<int>(result_.corners.size());
    for (Corner& corner : loop_) {
      corner.point = kept(corner.point);
      result_.corners.push_back(corner.point);
    }
    result_.faces.push_back({face.tag, begin, static_cast<int>(result_.corners.size())});
    for (size_t i = 0; i < loop_.size(); ++i) {
      const Corner &a = loop_[i], &b = loop_[(i + 1) % loop_.size()];
      if (a.on && b.on) add_open(a.point, b.point);
    }
  }

  /// The place of an edge's cut; made when it is first asked for. Numbered after the old points.
  int cut(int a, int b) {
    const int low = std::min(a, b), high = std::max(a, b), old = static_cast<int>(solid_.points.size());
    for (const CutEdge& edge : cuts_) {
      if (edge.low == low && edge.high == high) return edge.point;
    }
    cuts_.push_back({low, high, old + static_cast<int>(cuts_.size())});
    moved_.push_back(-1);
    return cuts_.back().point;
  }

  /// Points enter the result when a face first needs them.
  int kept(int point) {
    int& moved = moved_[static_cast<size_t>(point)];
    if (moved >= 0) return moved;
    moved = static_cast<int>(result_.points.size());
    const int old = static_cast<int>(solid_.points.size());
    if (point < old) {
      result_.points.push_back(solid_.points[static_cast<size_t>(point)]);
    } else {
      const auto a = static_cast<size_t>(cuts_[static_cast<size_t>(point - old)].low),
                 b = static_cast<size_t>(cuts_[static_cast<size_t>(point - old)].high);
      result_.points.push_back(cut_point(side_, solid_.points[a], solid_.points[b], values_[a], values_[b]));
    }
    return moved;
  }

  void add_open(int from, int to) {
    const auto back = std::find_if(open_.begin(), open_.end(), [&](const RimEdge& edge) { return edge.from == to && edge.to == from; });
    if (back == open_.end()) {
      open_.push_back({from, to});
    } else {
      open_.erase(back);
    }
  }

  /// What is left open runs in closed chains, for every loop did: a chain turned round is a cap.
  void add_caps(int tag) {
    while (!open_.empty()) {
      loop_.clear();
      const int start = open_.back().to;
      int at = start;
      do {
        const auto edge = std::find_if(open_.begin(), open_.end(), [&](const RimEdge& e) { return e.to == at; });
        loop_.push_back({at, true});
        if (edge == open_.end()) break;  // cannot be: as many edges end at a point as begin there
        at = edge->from;
        open_.erase(edge);
      } while (at != start);
      const int begin = static_cast<int>(result_.corners.size());
      for (const Corner& corner : loop_) result_.corners.push_back(corner.point);
      result_.faces.push_back({tag, begin, static_cast<int>(result_.corners.size())});
    }
  }

  struct Corner {
    int point;
    bool on;
  };
  const Solid& solid_;
  const Linear& side_;
  const std::vector<double>& values_;
  const std::vector<int8_t>& signs_;
  std::vector<int> moved_;  // old points, then cuts: their number in the result or -1
  std::vector<CutEdge> cuts_;
  std::vector<RimEdge> open_;
  std::vector<Corner> loop_;
  Solid result_;
};

}  // namespace

template <int N>
double ConvexPolyhedron<N>::value(const Linear& side, int point) const {
  return value_at(side, points[static_cast<size_t>(point)]);
}

template <int N>
typename ConvexPolyhedron<N>::Place ConvexPolyhedron<N>::place(const Linear& side, double tolerance) const {
  bool inside = false, outside = false;
  for (const Point& point : points) {
    const double value = value_at(side, point);
    inside |= value<-tolerance, outside |= value> tolerance;
    if (inside && outside) return Place::Across;
  }
  return inside ? Place::Inside : Place::Outside;
}

template <int N>
bool ConvexPolyhedron<N>::clip(const Linear& side, double tolerance, int tag) {
  std::vector<double> values(points.size());
  std::vector<int8_t> signs(points.size());
  bool inside = false, outside = false;
  for (size_t i = 0; i < points.size(); ++i) {
    values[i] = value_at(side, points[i]);
    signs[i] = static_cast<int8_t>(values[i] > tolerance ? 1 : values[i] < -tolerance ? -1 : 0);
    inside |= signs[i]<0, outside |= signs[i]> 0;
  }
  if (!inside) {
    *this = {};
  } else if (outside) {
    *this = Clipper<N>(*this, side, values, signs).run(tag);
  }
  return !empty();
}

template struct ConvexPolyhedron<3>;
template struct ConvexPolyhedron<4>;

ConvexPolyhedron<3> box_polyhedron(const Bounds& box) {
  ConvexPolyhedron<3> solid;
  for (int i = 0; i < 8; ++i) {
    solid.points.emplace_back((i & 1) != 0 ? box.high.x() : box.low.x(), (i & 2) != 0 ? box.high.y() : box.low.y(),
                              (i & 4) != 0 ? box.high.z() : box.low.z());
  }
  solid.corners = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  for (int face = 0; face < 6; ++face) solid.faces.push_back({-1, 4 * face, 4 * face + 4});
  return solid;
}

ConvexPolyhedron<4> tet_polyhedron() {
  ConvexPolyhedron<4> solid;
  for (int i = 0; i < 4; ++i) solid.points.push_back(Eigen::Vector4d::Unit(i));
  solid.corners = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
  for (int face = 0; face < 4; ++face) solid.faces.push_back({face, 3 * face, 3 * face + 3});
  return solid;
}

template <int N>
SolidMeasure measure(const ConvexPolyhedron<N>& solid) {
  SolidMeasure result;
  if (solid.empty()) return result;
  const auto place = [&](int corner) -> Vec3 {
    return solid.points[static_cast<size_t>(solid.corners[static_cast<size_t>(corner)])].template tail<3>();
  };
  Vec3 middle = Vec3::Zero();
  Bounds bounds;
  for (const auto& point : solid.points) middle += point.template tail<3>(), bounds.add(point.template tail<3>());
  middle /= static_cast<double>(solid.points.size());
  Vec3 moment = Vec3::Zero();
  for (const auto& face : solid.faces) {
    const Vec3 a = place(face.begin) - middle;
    for (int i = face.begin + 1; i + 1 < face.end; ++i) {
      const Vec3 b = place(i) - middle, c = place(i + 1) - middle;
      const double volume = a.cross(b).dot(c) / 6;
      result.volume += volume;
      moment += volume * (a + b + c) / 4;
    }
  }
  // A sliver's volume may be mere rounding: its centre still lies within it.
  result.center = result.volume > 0 ? Vec3(middle + moment / result.volume) : middle;
  result.center = result.center.cwiseMax(bounds.low).cwiseMin(bounds.high);
  return result;
}
template SolidMeasure measure(const ConvexPolyhedron<3>& solid);
template SolidMeasure measure(const ConvexPolyhedron<4>& solid);

}  // namespace crumple
