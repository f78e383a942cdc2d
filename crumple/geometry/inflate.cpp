#include "crumple/geometry/inflate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr double kSmallestAngle = 10, kLargestAngle = 163;  // degrees
constexpr double kFarthestMove = 0.6;                 // cells a vertex may move in all
constexpr double kSnap = 0.15;                    // cells: points farther out draw a vertex onto them
constexpr double kPull = 0.7;                     // of what is missing: less than all, or neighbouring points overshoot together

/// Cosines of the greatest and least angle between faces; 1 and -1 for a tetrahedron that is flat or inside out.
struct Sharpness {
  double sharpest = -1, bluntest = 1;
};

Sharpness sharpness(const std::vector<Vec3>& x, const Tetrahedron& tet) {
  const Vec3 u = x[tet[1]] - x[tet[0]], v = x[tet[2]] - x[tet[0]], w = x[tet[3]] - x[tet[0]];
  if (!(u.cross(v).dot(w) > 0)) return {1, -1};
  const Vec3 normals[4] = {(v - u).cross(w - u).normalized(), w.cross(v).normalized(), u.cross(w).normalized(), v.cross(u).normalized()};
  Sharpness result;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      const double cosine = -normals[i].dot(normals[j]);
      result.sharpest = std::max(result.sharpest, cosine), result.bluntest = std::min(result.bluntest, cosine);
    }
  }
  return result;
}

}  // namespace

OutsideTest::OutsideTest(const std::vector<Vec3>& positions, const std::vector<Triangle>& boundary)
    : positions_(positions), boundary_(boundary), tree_(positions, boundary) {}

std::vector<TriangleTree::Hit> OutsideTest::look(std::span<const Vec3> points, double near) const {
  std::vector<TriangleTree::Hit> hits(points.size());
  std::vector<uint8_t> open(points.size(), 0);
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      TriangleTree::Hit& hit = hits[i] = tree_.closest(points[i]);
      if (hit.triangle < 0 || hit.distance < near) continue;
      // Under the middle of a face its side tells; at its rim two faces may disagree and the winding number decides.
      open[i] = hit.barycentric.minCoeff() < 1e-3;
      const auto& [a, b, c] = boundary_[hit.triangle];
      if (!open[i] && (positions_[b] - positions_[a]).cross(positions_[c] - positions_[a]).dot(points[i] - positions_[a]) <= 0) hit.distance = 0;
    }
  });
  if (std::find(open.begin(), open.end(), 1) == open.end()) return hits;
  const WindingTree winding(positions_, boundary_);
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (open[i] && winding.inside(points[i])) hits[i].distance = 0;
    }
  });
  return hits;
}

Inflater::Inflater(TetMesh& mesh, const std::vector<Triangle>& boundary, double cell, double slack)
    : mesh_(mesh),
      boundary_(boundary),
      cell_(cell),
      slack_(slack),
      first_(mesh.positions.size() + 1, 0),
      start_(mesh.positions),
      snapped_(mesh.positions.size(), 0) {
  std::vector<char> outer(mesh.positions.size(), 0);
  for (const Triangle& face : boundary) {
    for (const int v : face) outer[v] = 1;
  }
  for (const Tetrahedron& tet : mesh.tets) {
    for (const int v : tet) first_[v + 1] += outer[v];
  }
  for (size_t v = 0; v < mesh.positions.size(); ++v) first_[v + 1] += first_[v];
  tets_.resize(static_cast<size_t>(first_.back()));
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const int v : mesh.tets[t]) {
      if (outer[v]) tets_[static_cast<size_t>(next[v]++)] = static_cast<int>(t);
    }
  }
}

std::vector<Inflater::Outside> Inflater::outside_of(const std::vector<Vec3>& points) const {
  const std::vector<TriangleTree::Hit> hits = OutsideTest(mesh_.positions, boundary_).look(points, slack_);
  std::vector<Outside> outside;
  for (size_t i = 0; i < points.size(); ++i) {
    if (hits[i].distance > slack_) outside.push_back({points[i], hits[i]});
  }
  std::stable_sort(outside.begin(), outside.end(), [](const Outside& a, const Outside& b) { return a.hit.distance > b.hit.distance; });
  return outside;
}

std::vector<Vec3> Inflater::run(const std::vector<Vec3>& points, int passes) {
  std::vector<Vec3> left = points;
  bool all = true;  // `left` holds all points, not only those last seen outside
  for (int pass = 0; !boundary_.empty(); ++pass) {
    const std::vector<Outside> outside = outside_of(left);
    left.clear();
    for (const Outside& each : outside) left.push_back(each.point);
    if (left.empty() && all) break;
    if (!left.empty() && pass >= passes) break;
    for (const Outside& each : outside) {
      if (pass > 0 || !snap(each)) pull(each);
    }
    all = left.empty();
    if (all) left = points;  // moving may have lost one
  }
  return left;
}

/// Moves a corner of the face under a point onto it. Points farthest out come first: these are edges and corners of the surface, which
/// then are met exactly.
bool Inflater::snap(const Outside& outside) {
  if (outside.hit.distance < kSnap * cell_) return false;
  int corner = 0;
  outside.hit.barycentric.maxCoeff(&corner);
  const int vertex = boundary_[outside.hit.triangle][corner];
  if (snapped_[vertex] || !try_move(vertex, outside.point)) return false;
  snapped_[vertex] = 1;
  return true;
}

/// Moves the face under a point toward it, each corner by its share: the least squares of all moves that bring the place there.
void Inflater::pull(const Outside& outside) {
  const auto& [point, hit] = outside;
  const Triangle& face = boundary_[hit.triangle];
  const Vec3 out = (point - hit.point) / hit.distance;
  Vec3 place = Vec3::Zero();
  for (int i = 0; i < 3; ++i) place += hit.barycentric[i] * mesh_.positions[face[i]];
  const double missing = (point - place).dot(out);  // earlier points may have moved the face already
  if (!(missing > 0.5 * slack_)) return;
  const double share = kPull * missing / hit.barycentric.squaredNorm();
  for (int i = 0; i < 3; ++i) {
    if (hit.barycentric[i] < 0.02) continue;
    const Vec3 from = mesh_.positions[face[i]], step = share * hit.barycentric[i] * out;
    for (double part = 1; part > 0.2 && !try_move(face[i], from + part * step); part *= 0.5) {
    }
  }
}

bool Inflater::try_move(int vertex, const Vec3& to) {
  if ((to - start_[vertex]).norm() > kFarthestMove * cell_) return false;
  const Vec3 before = mesh_.positions[vertex];
  mesh_.positions[vertex] = to;
  if (shapes_are_good(vertex)) return true;
  mesh_.positions[vertex] = before;
  return false;
}

bool Inflater::shapes_are_good(int vertex) const {
  static const double sharpest = std::cos(kSmallestAngle * std::numbers::pi / 180), bluntest = std::cos(kLargestAngle * std::numbers::pi / 180);
  for (int i = first_[vertex]; i < first_[vertex + 1]; ++i) {
    const Sharpness angles = sharpness(mesh_.positions, mesh_.tets[static_cast<size_t>(tets_[static_cast<size_t>(i)])]);
    if (angles.sharpest > sharpest || angles.bluntest < bluntest) return false;
  }
  return true;
}

}  // namespace crumple
