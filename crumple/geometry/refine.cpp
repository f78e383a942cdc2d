#include "crumple/geometry/refine.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh_edit.h"

namespace crumple {
namespace {

using Edge = std::pair<int, int>;

/// Edges of triangles that are no part of anything rigid, by places: doubled corners are one. Empty if nothing is rigid.
class BendingEdges {
 public:
  explicit BendingEdges(const TriMesh& mesh) {
    if (mesh.rigid.empty()) return;
    std::map<std::array<double, 3>, int> numbers;
    for (const Vec3& p : mesh.positions) place_.push_back(numbers.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(numbers.size())).first->second);
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (mesh.rigid[t] > 0) continue;
      const auto& [a, b, c] = mesh.triangles[t];
      edges_.insert({edge(a, b), edge(b, c), edge(c, a)});
    }
  }
  bool has(int a, int b) const { return place_.empty() || edges_.contains(edge(a, b)); }

 private:
  Edge edge(int a, int b) const { return std::minmax(place_[at(a)], place_[at(b)]); }
  std::vector<int> place_;  // #vertices: number of its place
  std::set<Edge> edges_;
};

/// Adds the middles of long edges as they are asked for. Whether an edge is long depends on places alone, so both sides of a crease agree.
class Middles {
 public:
  Middles(TriMesh& mesh, double length, std::vector<int32_t>* parents) : mesh_(mesh), bending_(mesh), squared_(length * length), parents_(parents) {}

  bool is_long(int a, int b) const { return distance2(a, b) > squared_ && bending_.has(a, b); }
  bool has_long_edge(const Triangle& t) const { return is_long(t[0], t[1]) || is_long(t[1], t[2]) || is_long(t[2], t[0]); }
  int of(int a, int b) {
    const auto [found, is_new] = numbers_.try_emplace(Edge(std::min(a, b), std::max(a, b)), static_cast<int>(mesh_.positions.size()));
    if (!is_new) return found->second;
    if (parents_) parents_->push_back(a), parents_->push_back(b);
    add_vertex_between(a, b, 0.5f, mesh_);
    return found->second;
  }
  double distance2(int a, int b) const { return (mesh_.positions[at(a)] - mesh_.positions[at(b)]).squaredNorm(); }

 private:
  TriMesh& mesh_;
  const BendingEdges bending_;
  double squared_;
  std::vector<int32_t>* parents_;
  std::map<Edge, int> numbers_;
};

void add(std::vector<Triangle>& into, int a, int b, int c) {
  into.push_back({a, b, c});
}

/// A triangle whose edges ab and ca are long, bc is not: the corner at a, and the quadrangle that is left, along its shorter diagonal.
void cut_two(Middles& middles, int a, int b, int c, std::vector<Triangle>& into) {
  const int ab = middles.of(a, b), ca = middles.of(c, a);
  add(into, a, ab, ca);
  if (middles.distance2(ab, c) <= middles.distance2(ca, b)) {
    add(into, ab, b, c), add(into, ab, c, ca);
  } else {
    add(into, ab, b, ca), add(into, b, c, ca);
  }
}

void cut(Middles& middles, const Triangle& triangle, std::vector<Triangle>& into) {
  Triangle v = triangle;
  std::array<bool, 3> is_long;  // from v[i] to the next
  for (size_t i = 0; i < 3; ++i) is_long[i] = middles.is_long(v[i], v[(i + 1) % 3]);
  const auto count = std::count(is_long.begin(), is_long.end(), true);
  const auto turn = [&](size_t by) { std::rotate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(by), v.end()); };
  if (count == 0) {
    into.push_back(triangle);
  } else if (count == 1) {
    turn(static_cast<size_t>(std::find(is_long.begin(), is_long.end(), true) - is_long.begin()));
    const int middle = middles.of(v[0], v[1]);
    add(into, v[0], middle, v[2]), add(into, middle, v[1], v[2]);
  } else if (count == 2) {
    turn((static_cast<size_t>(std::find(is_long.begin(), is_long.end(), false) - is_long.begin()) + 2) % 3);  // bc is the short one
    cut_two(middles, v[0], v[1], v[2], into);
  } else {
    const int ab = middles.of(v[0], v[1]), bc = middles.of(v[1], v[2]), ca = middles.of(v[2], v[0]);
    add(into, v[0], ab, ca), add(into, ab, v[1], bc), add(into, ca, bc, v[2]), add(into, ab, bc, ca);
  }
}

}  // namespace

TriMesh refined(TriMesh mesh, double length, size_t most, std::vector<int32_t>* parents) {
  while (length > 0) {
    Middles middles(mesh, length, parents);
    const auto to_cut = static_cast<size_t>(std::ranges::count_if(mesh.triangles, [&](const Triangle& t) { return middles.has_long_edge(t); }));
    if (to_cut == 0 || mesh.triangles.size() + 3 * to_cut > most) break;
    std::vector<Triangle> cut_up;
    const std::vector<Triangle> before = mesh.triangles;
    std::vector<size_t> sources;
    for (size_t t = 0; t < before.size(); ++t) {
      cut(middles, before[t], cut_up);
      sources.resize(cut_up.size(), t);
    }
    mesh.triangles = std::move(cut_up);
    each_triangle_value(mesh, [&](std::vector<uint16_t>& values) {
      std::vector<uint16_t> of_parts;
      for (const size_t t : sources) of_parts.push_back(values[t]);
      values = std::move(of_parts);
    });
  }
  return mesh;
}

}  // namespace crumple
