#include "crumple/methods/clusters/surface_solid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crumple/core/index.h"
#include "crumple/geometry/planar_mesh.h"
#include "crumple/geometry/rings.h"
#include "crumple/geometry/surface_caps.h"

namespace crumple::clusters {
namespace {

using Edge = std::array<int, 2>;
using Side = Solid::Side;

/// Directed edges without the pairs that cancel each other.
std::vector<Side> unpaired(std::vector<Side> sides) {
  const auto undirected = [](const Side& s) { return Edge{std::min(s.a, s.b), std::max(s.a, s.b)}; };
  std::sort(sides.begin(), sides.end(), [&](const Side& s, const Side& t) {
    const Edge u = undirected(s), v = undirected(t);
    return u != v ? u < v : s.a < t.a;
  });
  std::vector<Side> left;
  for (size_t begin = 0, end; begin < sides.size(); begin = end) {
    const Edge edge = undirected(sides[begin]);
    int net = 0;
    for (end = begin; end < sides.size() && undirected(sides[end]) == edge; ++end) net += sides[end].a == edge[0] ? 1 : -1;
    // Edges of one direction come first.
    for (; net > 0; --net) left.push_back(sides[begin]);
    for (; net < 0; ++net) left.push_back(sides[end - 1]);
  }
  return left;
}

/// Keeps them in the order of the cracks.
void add_side(std::vector<CrackSide>& sides, const CrackSide& side) {
  sides.insert(std::upper_bound(sides.begin(), sides.end(), side, [](const CrackSide& a, const CrackSide& b) { return a.crack < b.crack; }), side);
}

Vec3 unit_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a);
  const double size = normal.norm();
  return size > 0 ? Vec3(normal / size) : Vec3(Vec3::UnitX());
}

}  // namespace

Solid::Solid(const TriMesh& surface, std::span<const int> same, std::span<const Vec3> particles) : particles_(particles.begin(), particles.end()) {
  std::vector<int> place_of(surface.positions.size(), -1);
  for (size_t v = 0; v < surface.positions.size(); ++v) {
    if (same[v] == static_cast<int>(v)) place_of[v] = static_cast<int>(places_.size()), places_.push_back(surface.positions[v]);
    marks_.push_back({place_of[at(same[v])], -1, -1, 0});
  }
  around_.resize(places_.size()), heights_.resize(places_.size());
  cells_.resize(1), nodes_.resize(1);
  for (const Triangle& t : surface.triangles) {
    const Triangle p = {marks_[at(t[0])].place, marks_[at(t[1])].place, marks_[at(t[2])].place};
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) continue;
    Face face;
    for (size_t k = 0; k < 3; ++k) face.rim.push_back({p[k], p[(k + 1) % 3], t[k], t[(k + 1) % 3]});
    face.normal = unit_normal(places_[at(p[0])], places_[at(p[1])], places_[at(p[2])]);
    add_face(std::move(face));
  }
  cells_[0].particles.resize(particles_.size());
  std::iota(cells_[0].particles.begin(), cells_[0].particles.end(), 0);
  cell_of_.assign(particles_.size(), 0);
  nodes_[0].cell = 0;
  tree_ = std::make_shared<WallTree>(particles);
  settle(0);
}

int Solid::add_face(Face face) {
  const int32_t fresh = static_cast<int32_t>(faces_.size());
  // Of a ring every place begins a side.
  for (const Side& side : face.rim) {
    std::vector<int32_t>& here = around_[at(side.a)];
    if (here.empty() || here.back() != fresh) here.push_back(fresh);
  }
  cells_[at(face.inner)].faces.push_back(fresh);
  if (face.outer >= 0) cells_[at(face.outer)].faces.push_back(fresh);
  faces_.push_back(std::move(face));
  return fresh;
}

int Solid::mark_between(int a, int b, int place, double share, std::vector<std::array<int, 3>>& made) {
  for (const std::array<int, 3>& m : made) {
    if (m[0] == a && m[1] == b) return m[2];
  }
  marks_.push_back({place, a, b, static_cast<float>(share)});
  made.push_back({a, b, static_cast<int>(marks_.size()) - 1});
  return made.back()[2];
}

/// Puts a place on an edge, in all faces that have it.
int Solid::divide_edge(int a, int b, double share) {
  const int middle = static_cast<int>(places_.size());
  places_.push_back(places_[at(a)] + share * (places_[at(b)] - places_[at(a)]));
  around_.emplace_back(), heights_.push_back(0);
  std::vector<std::array<int, 3>> made;
  for (const int32_t f : around_[at(a)]) {
    Face& face = faces_[at(f)];
    bool found = false;
    for (size_t k = 0, count = face.rim.size(); k < count; ++k) {
      const Side side = face.rim[k];
      const bool forward = side.a == a && side.b == b;
      if (!forward && !(side.a == b && side.b == a)) continue;
      const int mark =
          face.cut == kSkin ? mark_between(forward ? side.mark_a : side.mark_b, forward ? side.mark_b : side.mark_a, middle, share, made) : -1;
      face.rim[k] = {side.a, middle, side.mark_a, mark};
      face.rim.push_back({middle, side.b, mark, side.mark_b});
      found = true;
    }
    if (found) face.triangles.clear(), around_[at(middle)].push_back(f);
  }
  return middle;
}

/// Cell's box and centre, from its faces.
void Solid::settle(int index) {
  Cell& cell = cells_[at(index)];
  Bounds& box = nodes_[at(cell.node)].box;
  box = Bounds();
  for (const int32_t f : cell.faces) {
    for (const Side& side : faces_[at(f)].rim) box.add(places_[at(side.a)]);
  }
  const Vec3 middle = 0.5 * (box.low + box.high);
  double volume = 0;
  Vec3 first = Vec3::Zero();
  for (const int32_t f : cell.faces) {
    const Face& face = faces_[at(f)];
    const double sign = face.inner == index ? 1 : -1;
    const Vec3 a = places_[at(face.rim[0].a)] - middle;
    for (const Side& side : face.rim) {
      const Vec3 b = places_[at(side.a)] - middle, c = places_[at(side.b)] - middle;
      const double part = sign * a.dot(b.cross(c));
      volume += part, first += part * 0.25 * (a + b + c);
    }
  }
  cell.volume = volume / 6;
  const Vec3 offset = volume > 0 ? Vec3(first / volume) : Vec3(Vec3::Zero());
  // Rounding may move the centre of a very flat cell anywhere.
  cell.center = middle + offset.cwiseMax(box.low - middle).cwiseMin(box.high - middle);
}

/// Adds a place on each edge of a cell that crosses a plane.
void Solid::divide_crossing_edges(int cell, double slack) {
  std::vector<Edge> crossing;
  for (const int32_t f : cells_[at(cell)].faces) {
    for (const Side& side : faces_[at(f)].rim) {
      const int a = std::min(side.a, side.b), b = std::max(side.a, side.b);
      const double ha = heights_[at(a)], hb = heights_[at(b)];
      if ((ha < -slack && hb > slack) || (ha > slack && hb < -slack)) crossing.push_back({a, b});
    }
  }
  std::sort(crossing.begin(), crossing.end());
  crossing.erase(std::unique(crossing.begin(), crossing.end()), crossing.end());
  for (const auto& [a, b] : crossing) divide_edge(a, b, heights_[at(a)] / (heights_[at(a)] - heights_[at(b)]));
}

/// Divides a face by a plane, after its edges. The part beyond becomes a new face, which is returned; -1 if there is none.
int Solid::divide_face(int index, const Vec3& normal, double slack) {
  struct OnPlane {
    double along;
    int32_t place, mark;
    int net;  // sides below that end here, less those that begin
  };
  const Vec3 direction = normal.cross(faces_[at(index)].normal);
  std::vector<OnPlane> on;
  std::vector<Side> below, beyond;
  const auto count = [&](int32_t place, int32_t mark, int change) {
    if (std::abs(heights_[at(place)]) > slack) return;
    for (OnPlane& other : on) {
      if (other.place == place) return void(other.net += change);
    }
    on.push_back({direction.dot(places_[at(place)]), place, mark, change});
  };
  for (const Side& side : faces_[at(index)].rim) {
    const bool high = heights_[at(side.a)] > slack || heights_[at(side.b)] > slack;
    (high ? beyond : below).push_back(side);
    count(side.a, side.mark_a, high ? 0 : -1), count(side.b, side.mark_b, high ? 0 : 1);
  }
  std::sort(on.begin(), on.end(), [](const OnPlane& p, const OnPlane& q) { return p.along != q.along ? p.along < q.along : p.place < q.place; });
  // Both parts are closed along the line, by as many sides as are open there: this is robust to rounding errors in the order.
  int open = 0;
  for (size_t k = 0; k + 1 < on.size(); ++k) {
    open += on[k].net;
    const Side up = {on[k].place, on[k + 1].place, on[k].mark, on[k + 1].mark}, down = {up.b, up.a, up.mark_b, up.mark_a};
    for (int i = 0; i < std::abs(open); ++i) below.push_back(open > 0 ? up : down), beyond.push_back(open > 0 ? down : up);
  }
  below = unpaired(std::move(below)), beyond = unpaired(std::move(beyond));
  if (beyond.empty()) return -1;
  faces_[at(index)].triangles.clear();
  Face fresh = faces_[at(index)];
  fresh.rim = std::move(beyond);
  if (below.empty()) {
    below.swap(fresh.rim);
    faces_[at(index)].rim = std::move(below);
    return index;
  }
  const auto still_there = [&](int32_t place) { return std::any_of(below.begin(), below.end(), [&](const Side& s) { return s.a == place; }); };
  for (const Side& side : faces_[at(index)].rim) {
    if (!still_there(side.a)) std::erase(around_[at(side.a)], index);
  }
  faces_[at(index)].rim = std::move(below);
  return add_face(std::move(fresh));
}

/// A face over the rim that two halves of a cell have in common.
void Solid::close(std::vector<Side> rim, const Divider& by, int below, int beyond, int32_t cut) {
  if (rim.empty()) return;
  for (Side& side : rim) side = {side.b, side.a, -1, -1};  // the lid has reversed edges
  Face lid;
  lid.rim = std::move(rim), lid.normal = by.normal, lid.inner = below, lid.outer = beyond, lid.cut = cut;
  add_face(std::move(lid));
}

double Solid::area_of(int index) const {
  const Face& face = faces_[at(index)];
  const Vec3& from = places_[at(face.rim[0].a)];
  double doubled = 0;
  for (const Side& side : face.rim) doubled += face.normal.dot((places_[at(side.a)] - from).cross(places_[at(side.b)] - from));
  return 0.5 * doubled;
}

const std::vector<Triangle>& Solid::triangles_of(int index) {
  Face& face = faces_[at(index)];
  if (face.triangles.empty()) face.triangles = triangulate(face);
  return face.triangles;
}

void Solid::learn_triangles(const Solid& finer) {
  const auto same = [](const Side& s, const Side& t) { return s.a == t.a && s.b == t.b; };
  for (size_t f = 0; f < faces_.size(); ++f) {
    const Face &known = finer.faces_[f], &mine = faces_[f];
    if (known.triangles.empty() || !mine.triangles.empty()) continue;
    if (std::equal(mine.rim.begin(), mine.rim.end(), known.rim.begin(), known.rim.end(), same)) faces_[f].triangles = known.triangles;
  }
}

std::vector<Triangle> Solid::triangulate(const Face& face) const {
  if (face.rim.size() == 3) {
    const Side &first = face.rim[0], &second = face.rim[1].a == first.b ? face.rim[1] : face.rim[2];
    return {{first.a, first.b, second.b}};
  }
  std::vector<int> used;
  for (const Side& side : face.rim) used.push_back(side.a);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto number = [&](int place) { return static_cast<int>(std::lower_bound(used.begin(), used.end(), place) - used.begin()); };
  const PlaneFrame frame(face.normal);
  std::vector<Vec2> points;
  for (const int place : used) points.push_back(frame(places_[at(place)]));
  std::vector<DirectedEdge> edges;
  for (const Side& side : face.rim) edges.push_back({number(side.a), number(side.b)});
  std::vector<Ring> rings = trace_rings(points, edges);
  const std::vector<int> groups(rings.size(), 0);
  std::vector<Triangle> all;
  for (const PlanarRegion& region : nest_rings(points, std::move(rings), groups)) {
    std::vector<Triangle> triangles = triangulate_polygon(points, region.rings);
    make_delaunay(points, triangles);
    for (const Triangle& t : triangles) {
      all.push_back({used[at(t[0])], used[at(t[1])], used[at(t[2])]});
      if (region.turned) std::swap(all.back()[1], all.back()[2]);
    }
  }
  return all;
}

void Solid::share_particles(const Divider& by, int below, int beyond) {
  std::vector<int32_t>&low = cells_[at(below)].particles, &high = cells_[at(beyond)].particles;
  const auto middle = std::stable_partition(low.begin(), low.end(), [&](int32_t p) { return by.normal.dot(particles_[at(p)]) <= by.offset; });
  high.assign(middle, low.end());
  low.erase(middle, low.end());
  for (const int32_t p : high) cell_of_[at(p)] = beyond;
}

void Solid::branch(int below, int beyond) {
  const int32_t parent = cells_[at(below)].node, low = static_cast<int32_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  nodes_[at(parent)].cell = -1, nodes_[at(parent)].low = low, nodes_[at(parent)].high = low + 1;
  cells_[at(below)].node = low, cells_[at(beyond)].node = low + 1;
  nodes_[at(low)].cell = below, nodes_[at(low + 1)].cell = beyond;
  settle(below), settle(beyond);
}

bool Solid::divide(int index, const Divider& by, double slack) {
  double lowest = 0, highest = 0;
  for (const int32_t f : cells_[at(index)].faces) {
    for (const Side& side : faces_[at(f)].rim) {
      const double h = heights_[at(side.a)] = height(side.a, by);
      lowest = std::min(lowest, h), highest = std::max(highest, h);
    }
  }
  if (lowest >= -slack || highest <= slack) return false;
  divide_crossing_edges(index, slack);

  const int beyond = static_cast<int>(cells_.size());
  cells_.emplace_back();
  const std::vector<int32_t> before = cells_[at(index)].faces;
  for (const int32_t f : before) {
    bool low = false, high = false;
    for (const Side& side : faces_[at(f)].rim) low = low || heights_[at(side.a)] < -slack, high = high || heights_[at(side.a)] > slack;
    int moves = high ? f : -1;
    if (low && high) moves = divide_face(f, by.normal, slack);
    // Along the plane: below it if it looks up.
    const bool outward = faces_[at(f)].inner == index;
    if (!low && !high && (outward ? -1 : 1) * faces_[at(f)].normal.dot(by.normal) > 0) moves = f;
    if (moves >= 0) (outward ? faces_[at(moves)].inner : faces_[at(moves)].outer) = beyond;
  }
  std::vector<int32_t> kept;
  std::vector<Side> rim;
  for (const int32_t f : cells_[at(index)].faces) {
    const Face& face = faces_[at(f)];
    if (face.inner == beyond || face.outer == beyond) {
      cells_[at(beyond)].faces.push_back(f);
      continue;
    }
    kept.push_back(f);
    const bool outward = face.inner == index;
    for (const Side& side : face.rim) rim.push_back(outward ? side : Side{side.b, side.a});
  }
  cells_[at(index)].faces = std::move(kept);
  cells_[at(beyond)].sides = cells_[at(index)].sides;
  if (by.crack >= 0) add_side(cells_[at(index)].sides, {by.crack, -1}), add_side(cells_[at(beyond)].sides, {by.crack, 1});
  share_particles(by, index, beyond);
  close(unpaired(std::move(rim)), by, index, beyond, by.crack >= 0 ? 2 * by.crack : 2 * walls_++ + 1);
  branch(index, beyond);
  return true;
}

bool Solid::divide_between_particles(int index, double slack) {
  while (cells_[at(index)].particles.size() > 1) {
    std::vector<int32_t>& inside = cells_[at(index)].particles;
    const WallTree::Node& wall = tree_->between(inside);
    if (wall.low < 0) {  // all in one place
      for (size_t k = 1; k < inside.size(); ++k) cell_of_[at(inside[k])] = -1;
      inside.resize(1);
      continue;
    }
    Divider by;
    by.normal = wall.normal, by.offset = wall.offset;
    if (divide(index, by, slack)) return true;
    // One side has no room: particles there are removed from this cell.
    const bool low = by.normal.dot(cells_[at(index)].center) <= by.offset;
    std::erase_if(inside, [&](int32_t p) {
      const bool foreign = (by.normal.dot(particles_[at(p)]) <= by.offset) != low;
      if (foreign) cell_of_[at(p)] = -1;
      return foreign;
    });
  }
  return false;
}

}  // namespace crumple::clusters
