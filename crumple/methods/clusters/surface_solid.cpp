#include "crumple/methods/clusters/surface_solid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "crumple/geometry/planar_mesh.h"
#include "crumple/geometry/rings.h"
#include "crumple/geometry/surface_caps.h"

namespace crumple::clusters {
namespace {

using Edge = std::array<int, 2>;

size_t at(int index) {
  return static_cast<size_t>(index);
}

/// The direction in which points spread most.
Vec3 longest_axis(std::span<const Vec3> points, std::span<const int32_t> chosen) {
  Vec3 mean = Vec3::Zero();
  for (const int32_t i : chosen) mean += points[at(i)];
  mean /= static_cast<double>(chosen.size());
  Mat3 spread = Mat3::Zero();
  for (const int32_t i : chosen) spread += (points[at(i)] - mean) * (points[at(i)] - mean).transpose();
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(spread);
  const Vec3 axis = eigen.eigenvectors().col(2);
  return axis.allFinite() && axis.norm() > 0.5 ? axis : Vec3::UnitX();
}

/// What is left of directed edges when those back to back are taken out.
std::vector<Edge> unpaired(std::vector<Edge> edges) {
  const auto undirected = [](const Edge& e) { return Edge{std::min(e[0], e[1]), std::max(e[0], e[1])}; };
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    const Edge u = undirected(a), v = undirected(b);
    return u != v ? u < v : a < b;
  });
  std::vector<Edge> left;
  for (size_t begin = 0, end; begin < edges.size(); begin = end) {
    const Edge edge = undirected(edges[begin]);
    int net = 0;
    for (end = begin; end < edges.size() && undirected(edges[end]) == edge; ++end) net += edges[end][0] == edge[0] ? 1 : -1;
    for (; net > 0; --net) left.push_back(edge);
    for (; net < 0; ++net) left.push_back({edge[1], edge[0]});
  }
  return left;
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
    const Triangle corners = {marks_[at(t[0])].place, marks_[at(t[1])].place, marks_[at(t[2])].place};
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    for (const int place : corners) around_[at(place)].push_back(static_cast<int32_t>(faces_.size()));
    cells_[0].faces.push_back(static_cast<int32_t>(faces_.size()));
    faces_.push_back({corners, t, 0, -1, kSkin});
  }
  cells_[0].particles.resize(particles_.size());
  std::iota(cells_[0].particles.begin(), cells_[0].particles.end(), 0);
  cell_of_.assign(particles_.size(), 0);
  nodes_[0].cell = 0;
  settle(0);
}

int Solid::mark_between(int a, int b, int place, double share, std::vector<std::array<int, 3>>& made) {
  for (const std::array<int, 3>& m : made) {
    if (m[0] == a && m[1] == b) return m[2];
  }
  marks_.push_back({place, a, b, static_cast<float>(share)});
  made.push_back({a, b, static_cast<int>(marks_.size()) - 1});
  return made.back()[2];
}

/// Puts a place on an edge; every face there becomes two.
int Solid::divide_edge(int a, int b, double share) {
  const int middle = static_cast<int>(places_.size());
  places_.push_back(places_[at(a)] + share * (places_[at(b)] - places_[at(a)]));
  around_.emplace_back(), heights_.push_back(0);
  std::vector<std::array<int, 3>> made;
  std::vector<int32_t> along;
  for (const int32_t f : around_[at(a)]) {
    const Triangle& t = faces_[at(f)].corners;
    if (t[0] == b || t[1] == b || t[2] == b) along.push_back(f);
  }
  for (const int32_t f : along) {
    size_t ka = 0, kb = 0;
    for (size_t k = 0; k < 3; ++k) {
      if (faces_[at(f)].corners[k] == a) ka = k;
      if (faces_[at(f)].corners[k] == b) kb = k;
    }
    Face far = faces_[at(f)];
    Face& near = faces_[at(f)];
    const int32_t fresh = static_cast<int32_t>(faces_.size());
    if (near.cut == kSkin) {
      const int mark = mark_between(near.marks[ka], near.marks[kb], middle, share, made);
      near.marks[kb] = far.marks[ka] = mark;
    }
    near.corners[kb] = far.corners[ka] = middle;
    const int other = near.corners[3 - ka - kb];
    std::erase(around_[at(b)], f);
    around_[at(b)].push_back(fresh), around_[at(other)].push_back(fresh);
    around_[at(middle)].push_back(f), around_[at(middle)].push_back(fresh);
    cells_[at(far.inner)].faces.push_back(fresh);
    if (far.outer >= 0) cells_[at(far.outer)].faces.push_back(fresh);
    faces_.push_back(far);
  }
  return middle;
}

/// Cell's box and centre, from its faces.
void Solid::settle(int index) {
  Cell& cell = cells_[at(index)];
  Bounds& box = nodes_[at(cell.node)].box;
  box = Bounds();
  for (const int32_t f : cell.faces) {
    for (const int place : faces_[at(f)].corners) box.add(places_[at(place)]);
  }
  const Vec3 middle = 0.5 * (box.low + box.high);
  double volume = 0;
  Vec3 first = Vec3::Zero();
  for (const int32_t f : cell.faces) {
    const Face& face = faces_[at(f)];
    const Vec3 a = places_[at(face.corners[0])] - middle, b = places_[at(face.corners[1])] - middle, c = places_[at(face.corners[2])] - middle;
    const double part = (face.inner == index ? 1 : -1) * a.dot(b.cross(c));
    volume += part, first += part * 0.25 * (a + b + c);
  }
  const Vec3 offset = volume > 0 ? Vec3(first / volume) : Vec3(Vec3::Zero());
  // Rounding may throw the centre of something very flat anywhere.
  cell.center = middle + offset.cwiseMax(box.low - middle).cwiseMin(box.high - middle);
}

/// Edges of a cell from one side of a plane to the other get a place on it.
void Solid::divide_crossing_edges(int cell, double slack) {
  std::vector<Edge> crossing;
  for (const int32_t f : cells_[at(cell)].faces) {
    const Triangle& t = faces_[at(f)].corners;
    for (size_t k = 0; k < 3; ++k) {
      const int a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
      const double ha = heights_[at(a)], hb = heights_[at(b)];
      if ((ha < -slack && hb > slack) || (ha > slack && hb < -slack)) crossing.push_back({a, b});
    }
  }
  std::sort(crossing.begin(), crossing.end());
  crossing.erase(std::unique(crossing.begin(), crossing.end()), crossing.end());
  for (const auto& [a, b] : crossing) divide_edge(a, b, heights_[at(a)] / (heights_[at(a)] - heights_[at(b)]));
}

/// Faces over the rim that two halves of a cell have in common.
void Solid::close(std::vector<Edge> rim, const Divider& by, int below, int beyond, int32_t cut) {
  std::vector<int> used;
  for (const Edge& edge : rim) used.insert(used.end(), edge.begin(), edge.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const PlaneFrame frame(by.normal);
  std::vector<Vec2> points;
  for (const int place : used) points.push_back(frame(places_[at(place)]));
  for (Edge& edge : rim) {
    for (int& end : edge) end = static_cast<int>(std::lower_bound(used.begin(), used.end(), end) - used.begin());
  }
  std::vector<Ring> rings = trace_rings(points, rim);
  const std::vector<int> groups(rings.size(), 0);
  for (const PlanarRegion& region : nest_rings(points, std::move(rings), groups)) {
    std::vector<Triangle> triangles = triangulate_polygon(points, region.rings);
    make_delaunay(points, triangles);
    for (Triangle t : triangles) {
      if (region.turned) std::swap(t[1], t[2]);
      const int32_t fresh = static_cast<int32_t>(faces_.size());
      const Triangle corners = {used[at(t[0])], used[at(t[1])], used[at(t[2])]};
      for (const int place : corners) around_[at(place)].push_back(fresh);
      cells_[at(below)].faces.push_back(fresh), cells_[at(beyond)].faces.push_back(fresh);
      faces_.push_back({corners, {-1, -1, -1}, below, beyond, cut});
    }
  }
}

bool Solid::divide(int index, const Divider& by, double slack) {
  double lowest = 0, highest = 0;
  for (const int32_t f : cells_[at(index)].faces) {
    for (const int place : faces_[at(f)].corners) {
      const double h = heights_[at(place)] = height(place, by);
      lowest = std::min(lowest, h), highest = std::max(highest, h);
    }
  }
  if (lowest >= -slack || highest <= slack) return false;
  divide_crossing_edges(index, slack);

  const int beyond = static_cast<int>(cells_.size());
  const int32_t cut = by.crack >= 0 ? 2 * by.crack : 2 * walls_++ + 1;
  cells_.emplace_back();
  Cell& low = cells_[at(index)];
  Cell& high = cells_[at(beyond)];
  std::vector<Edge> edges;
  std::vector<int32_t> kept;
  for (const int32_t f : low.faces) {
    Face& face = faces_[at(f)];
    const bool outward = face.inner == index;
    const Triangle& t = face.corners;
    double top = 0;
    for (const int place : t) top = std::abs(heights_[at(place)]) > std::abs(top) ? heights_[at(place)] : top;
    if (std::abs(top) <= slack) {  // along the plane: below it if it looks up
      const Vec3 normal = (places_[at(t[1])] - places_[at(t[0])]).cross(places_[at(t[2])] - places_[at(t[0])]);
      top = (outward ? -1 : 1) * normal.dot(by.normal);
    }
    if (top > 0) {
      (outward ? face.inner : face.outer) = beyond;
      high.faces.push_back(f);
      continue;
    }
    kept.push_back(f);
    // The lid has the edges of what it closes the other way round.
    for (size_t k = 0; k < 3; ++k) edges.push_back(outward ? Edge{t[(k + 1) % 3], t[k]} : Edge{t[k], t[(k + 1) % 3]});
  }
  low.faces = std::move(kept);

  high.sides = low.sides;
  if (by.crack >= 0) low.sides.push_back({by.crack, -1}), high.sides.push_back({by.crack, 1});
  const auto is_below = [&](int32_t p) { return by.normal.dot(particles_[at(p)]) <= by.offset; };
  const auto middle = std::stable_partition(low.particles.begin(), low.particles.end(), is_below);
  high.particles.assign(middle, low.particles.end());
  low.particles.erase(middle, low.particles.end());
  for (const int32_t p : high.particles) cell_of_[at(p)] = beyond;

  const int parent = low.node;
  nodes_[at(parent)].cell = -1;
  nodes_[at(parent)].low = low.node = static_cast<int32_t>(nodes_.size());
  nodes_[at(parent)].high = high.node = low.node + 1;
  nodes_.resize(nodes_.size() + 2);
  nodes_[at(low.node)].cell = index, nodes_[at(high.node)].cell = beyond;
  close(unpaired(std::move(edges)), by, index, beyond, cut);
  settle(index), settle(beyond);
  return true;
}

bool Solid::divide_between_particles(int index, double slack) {
  while (cells_[at(index)].particles.size() > 1) {
    std::vector<int32_t>& inside = cells_[at(index)].particles;
    Divider by;
    by.normal = longest_axis(particles_, inside);
    std::vector<double> along;
    for (const int32_t p : inside) along.push_back(by.normal.dot(particles_[at(p)]));
    std::sort(along.begin(), along.end());
    by.offset = 0.5 * (along[along.size() / 2 - 1] + along[along.size() / 2]);
    if (divide(index, by, slack)) return true;
    // There is no room on one side: who is there has no part in this cell.
    const double side = by.normal.dot(cells_[at(index)].center) - by.offset;
    const size_t before = inside.size();
    std::erase_if(inside, [&](int32_t p) {
      const bool foreign = (by.normal.dot(particles_[at(p)]) - by.offset) * side < 0;
      if (foreign) cell_of_[at(p)] = -1;
      return foreign;
    });
    if (inside.size() == before) {  // all in one place
      for (size_t k = 1; k < inside.size(); ++k) cell_of_[at(inside[k])] = -1;
      inside.resize(1);
    }
  }
  return false;
}

}  // namespace crumple::clusters
