#include "crumple/rig/handles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/mirror.h"

namespace crumple {
namespace {

/// A vertex of each connected part, for every vertex.
std::vector<int> parts_of(const TetMesh& mesh) {
  UnionFind parts(mesh.positions.size());
  for (const Tetrahedron& tet : mesh.tets) {
    for (size_t i = 1; i < 4; ++i) parts.merge(tet[0], tet[i]);
  }
  std::vector<int> first;
  for (size_t v = 0; v < mesh.positions.size(); ++v) first.push_back(parts.of(static_cast<int>(v)));
  return first;
}

/// How far a point is from the corners of a box, small where it is near any of its sides. Roots, so that lying on a side counts more than
/// being somewhat nearer to all three: poles of a ball are kept as well as its diagonals, and on a box the corners win.
double inwardness(const Bounds& box, const Vec3& point) {
  return (point - box.low).cwiseMin(box.high - point).cwiseMax(0).cwiseSqrt().sum();
}

/// A box tree over points of which more and more are taken out.
class PointTree {
 public:
  explicit PointTree(const std::vector<Vec3>& points) : points_(points), order_(points.size()), leaf_of_(points.size()), gone_(points.size(), 0) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!points.empty()) nodes_.emplace_back(), build(0, 0, static_cast<int>(points.size()), -1);
  }

  void remove(int point) {
    gone_[point] = 1;
    for (int n = leaf_of_[point]; n >= 0; n = nodes_[n].parent) --nodes_[n].left;
  }
  bool gone(int point) const { return gone_[point] != 0; }

  struct Near {
    double distance = 1e300;  // squared
    int point = -1;
  };
  /// The nearest other point, the lower number of equals.
  Near nearest(int point) const {
    Near best;
    if (!nodes_.empty()) visit(0, point, best);
    return best;
  }

 private:
  static constexpr int kLeaf = 8;
  struct Node {
    Bounds box;
    int first = 0, count = 0;  // leaf: order_[first .. first + count); inner: count 0, children first and first + 1
    int parent = -1, left = 0;
  };

  void build(int node, int begin, int end, int parent) {
    Node& made = nodes_[node];
    made.parent = parent, made.left = end - begin;
    for (int i = begin; i < end; ++i) made.box.add(points_[order_[i]]);
    if (end - begin <= kLeaf) {
      made.first = begin, made.count = end - begin;
      for (int i = begin; i < end; ++i) leaf_of_[order_[i]] = node;
      return;
    }
    int axis = 0;
    (made.box.high - made.box.low).maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](int a, int b) { return std::make_pair(points_[a][axis], a) < std::make_pair(points_[b][axis], b); });
    const int first = made.first = static_cast<int>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    build(first, begin, middle, node);
    build(first + 1, middle, end, node);
  }

  double distance_to(const Node& node, const Vec3& point) const {
    return (node.box.low - point).cwiseMax(point - node.box.high).cwiseMax(0).squaredNorm();
  }

  void visit(int index, int point, Near& best) const {
    const Node& node = nodes_[index];
    if (node.left == 0 || distance_to(node, points_[point]) > best.distance) return;
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int other = order_[i];
      if (other == point || gone(other)) continue;
      const double distance = (points_[other] - points_[point]).squaredNorm();
      if (std::make_pair(distance, other) < std::make_pair(best.distance, best.point)) best = {distance, other};
    }
    if (node.count > 0) return;
    const int nearer = distance_to(nodes_[node.first + 1], points_[point]) < distance_to(nodes_[node.first], points_[point]) ? 1 : 0;
    visit(node.first + nearer, point, best);
    visit(node.first + 1 - nearer, point, best);
  }

  const std::vector<Vec3>& points_;
  std::vector<int> order_, leaf_of_;
  std::vector<char> gone_;
  std::vector<Node> nodes_;
};

/// Candidates first, then fixed places, which are never dropped.
class Thinning {
 public:
  /// `twins`: #candidates: the one that goes with each, perhaps itself.
  Thinning(const TetMesh& mesh, std::vector<int> candidates, const std::vector<Vec3>& fixed, std::vector<int> twins)
      : vertices_(std::move(candidates)), twins_(std::move(twins)) {
    const Bounds box = bounds_of(mesh.positions);
    const std::vector<int> parts = parts_of(mesh);
    members_.assign(mesh.positions.size(), 0);
    for (const int v : vertices_) {
      points_.push_back(mesh.positions[v]), inward_.push_back(inwardness(box, mesh.positions[v]));
      part_.push_back(parts[v]), ++members_[parts[v]];
    }
    for (const Vec3& place : fixed) {
      points_.push_back(place);
      ++members_[part_near(place)];
    }
  }

  std::vector<int> run(size_t count) {
    PointTree tree(points_);
    left_ = vertices_.size(), wanted_ = count;
    size_t& left = left_;
    using Pair = std::tuple<double, int, int>;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
    const auto push = [&](int point) {
      const PointTree::Near near = tree.nearest(point);
      if (near.point >= 0) pairs.emplace(near.distance, point, near.point);
    };
    for (size_t i = 0; i < vertices_.size() && left > count; ++i) push(static_cast<int>(i));
    // Points only go, so a pair in the queue is never farther than the true one: what comes out stale is asked anew.
    while (left > count && !pairs.empty()) {
      const auto [distance, one, other] = pairs.top();
      pairs.pop();
      if (tree.gone(one) || !may_drop(one)) continue;
      if (tree.gone(other)) {
        push(one);
        continue;
      }
      const int dropped = worse(one, other), twin = twins_[dropped];
      for (const int gone : {dropped, twin}) {
        if (tree.gone(gone)) continue;  // it is its own twin
        tree.remove(gone);
        --members_[part_[gone]], --left;
      }
      if (dropped != one && twin != one) push(one);
    }
    std::vector<int> kept;
    for (size_t i = 0; i < vertices_.size(); ++i) {
      if (!tree.gone(static_cast<int>(i))) kept.push_back(vertices_[i]);
    }
    return kept;
  }

 private:
  /// The last of a part of the body stays: without a handle the part could be anywhere.
  bool may_drop(int point) const {
    if (point >= static_cast<int>(vertices_.size())) return false;
    const int twin = twins_[point];
    if (twin == point) return members_[part_[point]] > 1;
    return left_ >= wanted_ + 2 && members_[part_[point]] > (part_[point] == part_[twin] ? 2 : 1) && members_[part_[twin]] > 1;
  }
  int worse(int one, int other) const {
    if (!may_drop(other)) return one;
    if (inward_[one] != inward_[other]) return inward_[one] > inward_[other] ? one : other;
    return std::max(one, other);
  }
  int part_near(const Vec3& place) const {
    int best = 0;
    double least = 1e300;
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const double distance = (points_[i] - place).squaredNorm();
      if (distance < least) least = distance, best = part_[i];
    }
    return best;
  }

  size_t left_ = 0, wanted_ = 0;
  std::vector<int> vertices_;   // #candidates: of the mesh
  std::vector<int> twins_;      // #candidates
  std::vector<Vec3> points_;    // #candidates + #fixed
  std::vector<double> inward_;  // #candidates
  std::vector<int> part_;       // #candidates
  std::vector<int> members_;    // by part: candidates left and fixed places
};

/// Vertices of the boundary that are not taken, ascending.
std::vector<int> candidates_of(const TetMesh& mesh, const std::vector<Vec3>& fixed) {
  std::vector<int> surface;
  for (const Triangle& face : boundary_faces(mesh)) surface.insert(surface.end(), face.begin(), face.end());
  std::sort(surface.begin(), surface.end());
  surface.erase(std::unique(surface.begin(), surface.end()), surface.end());
  std::erase_if(surface, [&](int v) { return std::find(fixed.begin(), fixed.end(), mesh.positions[v]) != fixed.end(); });
  return surface;
}

/// The nearest of vertices that are sorted by their x, -1 if none is within `reach`.
int nearest_by_x(const TetMesh& mesh, const std::vector<int>& by_x, const Vec3& place, double reach) {
  int best = -1;
  double least = reach;
  const auto x = [&](int v) { return mesh.positions[v].x(); };
  for (auto it = std::ranges::lower_bound(by_x, place.x() - reach, {}, x); it != by_x.end() && x(*it) <= place.x() + reach; ++it) {
    const double distance = (mesh.positions[*it] - place).norm();
    if (distance < least) least = distance, best = *it;
  }
  return best;
}

double distance_to_nearest(const Vec3& place, const TetMesh& mesh, const std::vector<int>& chosen, const std::vector<Vec3>& fixed) {
  double nearest = 1e300;
  for (const int v : chosen) nearest = std::min(nearest, (mesh.positions[v] - place).norm());
  for (const Vec3& other : fixed) nearest = std::min(nearest, (other - place).norm());
  return nearest;
}

/// Of the vertices that are their own images the one farthest from those chosen, -1 if there is none.
int farthest_single(const TetMesh& mesh, const std::vector<int>& image, const std::vector<int>& vertices, const std::vector<int>& chosen,
                    const std::vector<Vec3>& fixed) {
  int best = -1;
  double most = 0;
  for (const int v : vertices) {
    if (image[v] != v) continue;
    const double distance = distance_to_nearest(mesh.positions[v], mesh, chosen, fixed);
    if (distance > most) most = distance, best = v;
  }
  return best;
}

/// How far vertices are from the nearest of those chosen: sum of squares.
double uncovered(const TetMesh& mesh, const std::vector<int>& vertices, const std::vector<int>& chosen, const std::vector<Vec3>& fixed) {
  double sum = 0;
  for (const int v : vertices) {
    const double distance = distance_to_nearest(mesh.positions[v], mesh, chosen, fixed);
    sum += distance * distance;
  }
  return sum;
}

}  // namespace

std::vector<int> choose_handles(const TetMesh& mesh, int count, const std::vector<Vec3>& fixed) {
  if (count <= 0 || mesh.tets.empty()) return {};
  std::vector<int> surface = candidates_of(mesh, fixed), themselves(surface.size());
  std::iota(themselves.begin(), themselves.end(), 0);
  return Thinning(mesh, std::move(surface), fixed, std::move(themselves)).run(static_cast<size_t>(count));
}

std::vector<int> choose_mirrored_handles(const TetMesh& mesh, int count, const std::vector<Vec3>& fixed, const MirrorPlane& plane, double cell) {
  constexpr double kApart = 0.5;   // cells
  constexpr double kPaired = 0.8;  // share of the vertices that must have an image
  constexpr int kMaxAdded = 4;
  if (count <= 0 || mesh.tets.empty()) return {};
  const std::vector<int> all = candidates_of(mesh, fixed);
  std::vector<int> by_x = all, image(mesh.positions.size(), -1), candidates, number(mesh.positions.size(), -1);
  std::ranges::stable_sort(by_x, {}, [&](int v) { return mesh.positions[v].x(); });
  for (const int v : all) image[v] = nearest_by_x(mesh, by_x, plane.image(mesh.positions[v]), kApart * cell);
  for (const int v : all) {
    const auto is_image = [&](const Vec3& place) { return (plane.image(place) - mesh.positions[v]).norm() < kApart * cell; };
    if (image[v] < 0 && std::ranges::any_of(fixed, is_image)) image[v] = v;  // its pair is the artist's
    if (image[v] >= 0 && image[image[v]] == v) number[v] = static_cast<int>(candidates.size()), candidates.push_back(v);
  }
  if (static_cast<double>(candidates.size()) < kPaired * static_cast<double>(all.size())) return {};
  std::vector<int> twins;
  for (const int v : candidates) twins.push_back(number[image[v]]);
  // Dropping by pairs leaves few in the plane, such as on a roof: some are added afterwards, as many as cover the body best.
  std::vector<int> best;
  double least = 1e300;
  for (int added = 0; added <= std::min(kMaxAdded, count / 3); ++added) {
    std::vector<int> chosen = Thinning(mesh, candidates, fixed, twins).run(at(count - added));
    for (int i = 0; i < added; ++i) {
      const int single = farthest_single(mesh, image, all, chosen, fixed);
      if (single >= 0) chosen.insert(std::ranges::lower_bound(chosen, single), single);
    }
    const double left = uncovered(mesh, all, chosen, fixed);
    if (chosen.size() == at(count) && left < least) least = left, best = std::move(chosen);
  }
  return best;
}

}  // namespace crumple
