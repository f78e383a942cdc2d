#include "crumple/geometry/tet_quality.h"
#include "crumple/math/union_find.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace crumple {
namespace {

using Edge = std::pair<int, int>;

std::vector<Edge> sorted_edges(const std::vector<Triangle>& faces) {
  std::vector<Edge> edges;
  edges.reserve(3 * faces.size());
  for (const auto& [a, b, c] : faces) {
    for (const auto& [from, to] : {Edge{a, b}, Edge{b, c}, Edge{c, a}}) edges.push_back(std::minmax(from, to));
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// In one turn around a vertex every boundary face leads to the next; more than one turn means that fans touch in a point.
void add_touching_fans(const std::vector<Triangle>& boundary, std::vector<int>& bad) {
  struct Spoke {
    int vertex, to, from;
    bool operator<(const Spoke& other) const { return std::tie(vertex, to, from) < std::tie(other.vertex, other.to, other.from); }
  };
  std::vector<Spoke> spokes;
  spokes.reserve(3 * boundary.size());
  for (const auto& [a, b, c] : boundary) spokes.insert(spokes.end(), {Spoke{a, b, c}, Spoke{b, c, a}, Spoke{c, a, b}});
  std::sort(spokes.begin(), spokes.end());
  for (size_t begin = 0; begin < spokes.size();) {
    size_t end = begin;
    while (end < spokes.size() && spokes[end].vertex == spokes[begin].vertex) ++end;
    size_t turned = 0;
    int at = spokes[begin].to;
    do {
      const auto next = std::lower_bound(spokes.begin() + static_cast<long>(begin), spokes.begin() + static_cast<long>(end), at,
                                         [](const Spoke& spoke, int to) { return spoke.to < to; });
      if (next == spokes.begin() + static_cast<long>(end) || next->to != at) break;
      at = next->from, ++turned;
    } while (at != spokes[begin].to && turned <= end - begin);
    if (turned != end - begin) bad.push_back(spokes[begin].vertex);
    begin = end;
  }
}

}  // namespace

DihedralRange dihedral_range(const std::vector<Vec3>& positions, const Tetrahedron& tet) {
  DihedralRange range;
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) {
      int others[2], count = 0;
      for (int k = 0; k < 4; ++k) {
        if (k != i && k != j) others[count++] = k;
      }
      const Vec3& a = positions[tet[i]];
      const Vec3 edge = positions[tet[j]] - a;
      const Vec3 n1 = edge.cross(positions[tet[others[0]]] - a), n2 = edge.cross(positions[tet[others[1]]] - a);
      const double angle = std::atan2(n1.cross(n2).norm(), n1.dot(n2)) * 180 / std::numbers::pi;
      range.smallest = std::min(range.smallest, angle), range.largest = std::max(range.largest, angle);
    }
  }
  return range;
}

DihedralRange dihedral_range(const TetMesh& mesh) {
  DihedralRange range;
  for (const Tetrahedron& tet : mesh.tets) {
    const DihedralRange one = dihedral_range(mesh.positions, tet);
    range.smallest = std::min(range.smallest, one.smallest), range.largest = std::max(range.largest, one.largest);
  }
  return range;
}

double total_volume(const TetMesh& mesh) {
  double volume = 0;
  for (const Tetrahedron& tet : mesh.tets) volume += tet_volume(mesh.positions, tet);
  return volume;
}

int connected_parts(const TetMesh& mesh) {
  UnionFind sets(mesh.positions.size());
  std::vector<bool> used(mesh.positions.size(), false);
  for (const Tetrahedron& tet : mesh.tets) {
    for (const int v : tet) {
      used[static_cast<size_t>(v)] = true;
      sets.merge(tet[0], v);
    }
  }
  int parts = 0;
  for (size_t v = 0; v < used.size(); ++v) parts += used[v] && sets.of(static_cast<int>(v)) == static_cast<int>(v);
  return parts;
}

std::vector<int> non_manifold_vertices(const std::vector<Triangle>& boundary) {
  std::vector<int> bad;
  const std::vector<Edge> edges = sorted_edges(boundary);
  for (size_t begin = 0; begin < edges.size();) {
    size_t end = begin;
    while (end < edges.size() && edges[end] == edges[begin]) ++end;
    if (end - begin != 2) bad.insert(bad.end(), {edges[begin].first, edges[begin].second});
    begin = end;
  }
  add_touching_fans(boundary, bad);
  std::sort(bad.begin(), bad.end());
  bad.erase(std::unique(bad.begin(), bad.end()), bad.end());
  return bad;
}

int euler_characteristic(const std::vector<Triangle>& faces) {
  std::vector<Edge> edges = sorted_edges(faces);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<int> vertices;
  for (const Triangle& face : faces) vertices.insert(vertices.end(), face.begin(), face.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return static_cast<int>(vertices.size()) - static_cast<int>(edges.size()) + static_cast<int>(faces.size());
}

}  // namespace crumple
