#include "crumple/geometry/mesh_topology.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "crumple/math/whole.h"

namespace crumple {
namespace {

using Cell = std::array<int64_t, 3>;

/// The first vertices by the cell they lie in; cells are twice the tolerance wide, so neighbours lie in the eight nearest.
class CellTable {
 public:
  explicit CellTable(size_t vertices) : next_(vertices, -1) {
    size_t size = 16;
    while (size < 2 * vertices) size *= 2;
    heads_.assign(size, -1);
  }
  int head(const Cell& cell) const { return heads_[slot(cell)]; }
  int next(int vertex) const { return next_[vertex]; }
  void add(const Cell& cell, int vertex) {
    const size_t place = slot(cell);
    next_[vertex] = heads_[place], heads_[place] = vertex;
  }

 private:
  size_t slot(const Cell& cell) const {
    uint64_t h = static_cast<uint64_t>(cell[0]) * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 29) ^ static_cast<uint64_t>(cell[1])) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 32) ^ static_cast<uint64_t>(cell[2])) * 0x94D049BB133111EBull;
    return (h ^ (h >> 31)) & (heads_.size() - 1);
  }
  std::vector<int> heads_, next_;
};

int nearest_first(const CellTable& table, const std::vector<Vec3>& positions, const Vec3& place, const Vec3& scaled, double tolerance) {
  int best = -1;
  for (int corner = 0; corner < 8; ++corner) {
    Cell cell{};
    for (int axis = 0; axis < 3; ++axis) cell[axis] = whole_floor(scaled[axis] + ((corner >> axis & 1) != 0 ? 0.5 : -0.5));
    for (int v = table.head(cell); v >= 0; v = table.next(v)) {
      if ((positions[v] - place).squaredNorm() <= tolerance * tolerance && (best < 0 || v < best)) best = v;
    }
  }
  return best;
}

struct Link {
  int face = -1;       // the other triangle of the edge
  bool alike = false;  // both run along the edge in the same direction: one of them is turned
};

struct HoleEdge {
  int from, to, face;
};

double cross2(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c) {
  const Eigen::Vector2d u = b - a, v = c - a;
  return u.x() * v.y() - u.y() * v.x();
}

bool is_ear(const std::vector<Eigen::Vector2d>& flat, const std::vector<int>& ring, size_t at, double& effort) {
  const size_t count = ring.size();
  const int a = ring[(at + count - 1) % count], b = ring[at], c = ring[(at + 1) % count];
  if (!(cross2(flat[a], flat[b], flat[c]) > 0)) return false;
  effort -= static_cast<double>(count);
  for (const int p : ring) {
    if (p == a || p == b || p == c) continue;
    if (cross2(flat[a], flat[b], flat[p]) >= 0 && cross2(flat[b], flat[c], flat[p]) >= 0 && cross2(flat[c], flat[a], flat[p]) >= 0) return false;
  }
  return true;
}

}  // namespace

std::vector<int> first_in_place(const std::vector<Vec3>& positions, double tolerance, const std::vector<bool>& skip) {
  std::vector<int> first(positions.size());
  Vec3 low = Vec3::Constant(1e300);
  for (size_t v = 0; v < positions.size(); ++v) {
    first[v] = static_cast<int>(v);
    if (!skip[v]) low = low.cwiseMin(positions[v]);
  }
  if (!(tolerance > 0)) return first;
  CellTable table(positions.size());
  for (size_t v = 0; v < positions.size(); ++v) {
    if (skip[v]) continue;
    const Vec3 scaled = (positions[v] - low) / (2 * tolerance);
    const int other = nearest_first(table, positions, positions[v], scaled, tolerance);
    if (other >= 0) {
      first[v] = other;
    } else {
      table.add({whole_floor(scaled[0]), whole_floor(scaled[1]), whole_floor(scaled[2])}, static_cast<int>(v));
    }
  }
  return first;
}

DoubledFaces find_doubled_faces(const std::vector<Triangle>& triangles, const std::vector<int>& same) {
  struct Face {
    Triangle sorted;
    int index;
    bool even;  // an even permutation of the sorted corners
  };
  std::vector<Face> faces;
  faces.reserve(triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    Triangle s = {same[triangles[t][0]], same[triangles[t][1]], same[triangles[t][2]]};
    const bool even = (s[0] < s[1]) + (s[1] < s[2]) + (s[2] < s[0]) == 2;
    std::sort(s.begin(), s.end());
    faces.push_back({s, static_cast<int>(t), even});
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return std::tie(a.sorted, a.index) < std::tie(b.sorted, b.index); });
  DoubledFaces doubled;
  doubled.keep.assign(faces.size(), 1);
  std::vector<int> cancelled;
  for (size_t begin = 0, end = 0; begin < faces.size(); begin = end) {
    int net = 0;
    for (end = begin; end < faces.size() && faces[end].sorted == faces[begin].sorted; ++end) net += faces[end].even ? 1 : -1;
    if (end - begin == 1) continue;
    if (doubled.count == 0) doubled.example = static_cast<size_t>(faces[begin].index);
    doubled.count += end - begin - 1;
    bool kept = false;
    for (size_t i = begin; i < end; ++i) {
      const bool wanted = net == 0 ? i == begin : !kept && faces[i].even == (net > 0);
      doubled.keep[faces[i].index] = wanted;
      kept = kept || wanted;
    }
    if (net == 0) cancelled.push_back(faces[begin].index);
  }
  if (4 * cancelled.size() < faces.size()) {
    for (const int t : cancelled) doubled.keep[t] = 0;
  }
  return doubled;
}

std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles, const std::vector<int>& same) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      const int from = same[triangles[t][i]], to = same[triangles[t][(i + 1) % 3]];
      uses.push_back({std::min(from, to), std::max(from, to), static_cast<int>(t), from < to});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return std::tie(a.low, a.high, a.face, a.forward) < std::tie(b.low, b.high, b.face, b.forward);
  });
  return uses;
}

Shells find_shells(const std::vector<EdgeUse>& uses, size_t triangles) {
  std::vector<std::array<Link, 3>> links(triangles);
  std::vector<int> linked(triangles, 0);
  std::vector<bool> open_face(triangles, false);
  for_each_edge(uses, [&](const EdgeUse* use, size_t count) {
    if (count == 1) open_face[use->face] = true;
    if (count != 2) return;
    const bool alike = use[0].forward == use[1].forward;
    links[use[0].face][linked[use[0].face]++] = {use[1].face, alike};
    links[use[1].face][linked[use[1].face]++] = {use[0].face, alike};
  });
  Shells shells;
  shells.shell_of.assign(triangles, -1);
  shells.turn.assign(triangles, false);
  std::vector<int> members;
  for (size_t seed = 0; seed < triangles; ++seed) {
    if (shells.shell_of[seed] >= 0) continue;
    const int shell = static_cast<int>(shells.count());
    shells.one_sided.push_back(false), shells.open.push_back(false);
    members.assign(1, static_cast<int>(seed));
    shells.shell_of[seed] = shell;
    size_t turned = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      const int face = members[i];
      if (open_face[face]) shells.open[shell] = true;
      turned += shells.turn[face];
      for (int k = 0; k < linked[face]; ++k) {
        const auto& [other, alike] = links[face][k];
        const bool turn = shells.turn[face] != alike;
        if (shells.shell_of[other] < 0) {
          shells.shell_of[other] = shell, shells.turn[other] = turn;
          members.push_back(other);
        } else if (shells.turn[other] != turn) {
          shells.one_sided[shell] = true;
        }
      }
    }
    if (2 * turned > members.size()) {
      for (const int face : members) shells.turn[face] = !shells.turn[face];
    }
  }
  return shells;
}

std::vector<Loop> open_loops(const std::vector<EdgeUse>& uses, const std::vector<int>& shell_of, size_t vertices) {
  std::vector<HoleEdge> edges;
  for_each_edge(uses, [&](const EdgeUse* use, size_t count) {
    if (count != 1) return;
    // Against the direction of the triangle beside it.
    edges.push_back(use->forward ? HoleEdge{use->high, use->low, use->face} : HoleEdge{use->low, use->high, use->face});
  });
  std::sort(edges.begin(), edges.end(),
            [](const HoleEdge& a, const HoleEdge& b) { return std::tie(a.from, a.to, a.face) < std::tie(b.from, b.to, b.face); });
  std::vector<int> next_out(vertices, -1);  // the first unused edge from each vertex; those of one vertex follow each other
  for (size_t i = edges.size(); i-- > 0;) next_out[edges[i].from] = static_cast<int>(i);
  const auto take = [&](int vertex) {
    const int edge = next_out[vertex];
    if (edge < 0) return -1;
    const bool more = static_cast<size_t>(edge) + 1 < edges.size() && edges[edge + 1].from == vertex;
    next_out[vertex] = more ? edge + 1 : -1;
    return edge;
  };
  std::vector<Loop> loops;
  std::vector<int> place(vertices, -1);  // on the path walked
  for (const HoleEdge& start : edges) {
    std::vector<int> path;
    int at = start.from, face = start.face;
    while (true) {
      if (place[at] >= 0) {
        Loop loop{{path.begin() + place[at], path.end()}, shell_of[face], true};
        for (const int v : loop.vertices) place[v] = -1;
        path.resize(path.size() - loop.vertices.size());
        loops.push_back(std::move(loop));
      }
      const int edge = take(at);
      if (edge < 0) break;
      place[at] = static_cast<int>(path.size());
      path.push_back(at);
      at = edges[edge].to, face = edges[edge].face;
    }
    for (const int v : path) place[v] = -1;
    if (!path.empty()) path.push_back(at), loops.push_back({std::move(path), shell_of[face], false});
  }
  return loops;
}

std::vector<Triangle> fill_loop(const std::vector<Vec3>& positions, const std::vector<int>& loop, double& effort) {
  const size_t count = loop.size();
  Vec3 middle = Vec3::Zero(), normal = Vec3::Zero();
  for (const int v : loop) middle += positions[v] / static_cast<double>(count);
  double reach = 0, bend = 0;
  for (size_t i = 0; i < count; ++i) normal += (positions[loop[i]] - middle).cross(positions[loop[(i + 1) % count]] - middle);
  if (count < 3 || !(normal.norm() > 0)) return {};
  normal.normalize();
  for (const int v : loop) {
    reach = std::max(reach, (positions[v] - middle).norm());
    bend = std::max(bend, std::abs((positions[v] - middle).dot(normal)));
  }
  if (bend > 0.4 * reach) return {};
  const Vec3 u = normal.unitOrthogonal(), w = normal.cross(u);
  std::vector<Eigen::Vector2d> flat;
  std::vector<int> ring;
  for (size_t i = 0; i < count; ++i) {
    flat.emplace_back((positions[loop[i]] - middle).dot(u), (positions[loop[i]] - middle).dot(w));
    ring.push_back(static_cast<int>(i));
  }
  std::vector<Triangle> filled;
  size_t at = 0, refused = 0;
  while (ring.size() > 3 && refused < ring.size() && effort > 0) {
    at %= ring.size();
    if (!is_ear(flat, ring, at, effort)) {
      ++at, ++refused;
      continue;
    }
    const size_t n = ring.size();
    filled.push_back({loop[ring[(at + n - 1) % n]], loop[ring[at]], loop[ring[(at + 1) % n]]});
    ring.erase(ring.begin() + static_cast<long>(at));
    ++at, refused = 0;  // go on beyond the next corner, so that no fan of needles grows from one point
  }
  if (ring.size() != 3) return {};
  filled.push_back({loop[ring[0]], loop[ring[1]], loop[ring[2]]});
  return filled;
}

}  // namespace crumple
