#include "crumple/geometry/surface_clip.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "crumple/geometry/mesh_edit.h"
#include "crumple/geometry/places.h"

namespace crumple {
namespace {

constexpr double kSlack = 1e-12;        // of the size
constexpr size_t kMaxOpenEnds = 1000;  // of a rim that are joined; beyond it is left open

/// How many edges lead to each point of a rim more than away from it, where that is not none.
std::vector<std::pair<int, int>> imbalance(std::span<const DirectedEdge> edges) {
  std::vector<std::pair<int, int>> ends;
  for (const DirectedEdge& edge : edges) ends.emplace_back(edge[0], -1), ends.emplace_back(edge[1], 1);
  std::sort(ends.begin(), ends.end());
  std::vector<std::pair<int, int>> sums;
  for (const auto& [point, sign] : ends) {
    if (sums.empty() || sums.back().first != point) sums.emplace_back(point, 0);
    sums.back().second += sign;
  }
  std::erase_if(sums, [](const auto& sum) { return sum.second == 0; });
  return sums;
}

/// Joins the ends of a rim over the gaps of an open surface, nearest first, so that a crack does not cost the whole cap.
void join_open_ends(const ClippedSurface& surface, std::vector<DirectedEdge>& edges) {
  std::vector<int> ends, starts;
  for (const auto& [point, sum] : imbalance(edges)) {
    for (int i = 0; i < std::abs(sum); ++i) (sum > 0 ? ends : starts).push_back(point);
  }
  if (ends.empty()) return;
  if (ends.size() > kMaxOpenEnds) return edges.clear();
  struct Gap {
    double length;
    size_t end, start;
  };
  std::vector<Gap> gaps;
  for (size_t i = 0; i < ends.size(); ++i) {
    for (size_t j = 0; j < starts.size(); ++j) gaps.push_back({(surface.at(ends[i]) - surface.at(starts[j])).norm(), i, j});
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.length < b.length; });
  std::vector<char> end_used(ends.size(), 0), start_used(starts.size(), 0);
  for (const Gap& gap : gaps) {
    if (end_used[gap.end] || start_used[gap.start]) continue;
    end_used[gap.end] = start_used[gap.start] = 1;
    edges.push_back({ends[gap.end], starts[gap.start]});
  }
}

/// One plane at work.
class Knife {
 public:
  Knife(ClippedSurface& surface, std::span<const HalfSpace> sides, int side)
      : surface_(surface), sides_(sides), side_(side), plane_(sides[static_cast<size_t>(side)]) {
    for (const Vec3& place : surface.places) {
      height_.push_back(plane_.normal.dot(place) - plane_.offset);
      sign_.push_back(height_.back() > surface.slack ? 1 : (height_.back() < -surface.slack ? -1 : 0));
    }
  }

  void run() {
    bool any_inside = false, any_outside = false;
    const auto look_at = [&](int place) {
      any_inside |= sign(place) < 0;
      any_outside |= sign(place) > 0;
    };
    for (const int v : surface_.faces.corners) look_at(surface_.place(v));
    for (const ClippedSurface::Rim& rim : surface_.rims) {
      for (const DirectedEdge& edge : rim.edges) look_at(edge[0]);
    }
    if (!any_inside) return clear();
    if (!any_outside) return;
    clip_faces();
    for (ClippedSurface::Rim& rim : surface_.rims) clip_rim(rim, sides_[static_cast<size_t>(rim.side)].normal.cross(plane_.normal));
    note_rims();
  }

 private:
  int sign(int place) const { return sign_[static_cast<size_t>(place)]; }
  double height(int place) const { return height_[static_cast<size_t>(place)]; }

  void clear() { surface_.faces = {}, surface_.rims.clear(); }

  /// Where the plane meets the edge between two places, as a fraction of the way from the one that comes first.
  double fraction(int a, int b) const {
    if (!comes_first(surface_.at(a), surface_.at(b))) std::swap(a, b);
    return height(a) / (height(a) - height(b));
  }

  /// The edge of the surface that both places lie on; they themselves if there is none.
  DirectedEdge whole_edge(int a, int b) const {
    const DirectedEdge &of_a = surface_.edge_of[static_cast<size_t>(a)], &of_b = surface_.edge_of[static_cast<size_t>(b)];
    if (of_a[0] >= 0 && (of_a == of_b || of_a[0] == b || of_a[1] == b)) return of_a;
    if (of_b[0] >= 0 && (of_b[0] == a || of_b[1] == a)) return of_b;
    return {std::min(a, b), std::max(a, b)};
  }

  /// Computed from the whole edge, so that planes before do not change it.
  int place_on_edge(int a, int b) {
    const auto [found, is_new] = cut_places_.try_emplace(std::minmax(a, b), static_cast<int>(surface_.places.size()));
    if (is_new) {
      const DirectedEdge whole = whole_edge(a, b);
      const bool is_surface_edge = whole[1] < surface_.of_surface;
      surface_.add_place(place_between(surface_.at(whole[0]), surface_.at(whole[1]), fraction(whole[0], whole[1])),
                         is_surface_edge ? whole : DirectedEdge{-1, -1});
      height_.push_back(0), sign_.push_back(0);
    }
    return found->second;
  }

  int vertex_on_edge(int a, int b) {
    const auto [found, is_new] = cut_vertices_.try_emplace(std::minmax(a, b), static_cast<int>(surface_.vertices.size()));
    if (is_new) {
      const int from = surface_.place(a), to = surface_.place(b), place = place_on_edge(from, to);
      add_vertex_between(a, b, fraction(from, to), place, surface_);
    }
    return found->second;
  }

  bool faces_out(std::span<const int> face) const {
    Vec3 normal = Vec3::Zero();
    const Vec3& a = surface_.at(surface_.place(face[0]));
    for (size_t k = 1; k + 1 < face.size(); ++k) {
      normal += (surface_.at(surface_.place(face[k])) - a).cross(surface_.at(surface_.place(face[k + 1])) - a);
    }
    return normal.dot(plane_.normal) > 0;
  }

  void clip_faces() {
    Faces kept;
    std::vector<int> inside;
    for (size_t f = 0; f < surface_.faces.size(); ++f) {
      const std::span<const int> face = surface_.faces[f];
      int low = 1, high = -1;
      for (const int v : face) low = std::min(low, sign(surface_.place(v))), high = std::max(high, sign(surface_.place(v)));
      if (high <= 0) {
        // A face in the plane is drawn if what it bounds is inside.
        if (low < 0 || faces_out(face)) kept.add(face, surface_.faces.shells[f], surface_.faces.triangles[f]);
      } else if (low < 0) {
        inside.clear();
        for (size_t k = 0; k < face.size(); ++k) {
          const int v = face[k], next = face[(k + 1) % face.size()];
          if (sign(surface_.place(v)) <= 0) inside.push_back(v);
          if (sign(surface_.place(v)) * sign(surface_.place(next)) < 0) inside.push_back(vertex_on_edge(v, next));
        }
        kept.add(inside, surface_.faces.shells[f], surface_.faces.triangles[f]);
      }
    }
    surface_.faces = std::move(kept);
  }

  /// Keeps the inside of a rim and closes it along the line where the planes meet. On a line there is only one way to do that: sum up, along it, the
  /// ends that are left open.
  void clip_rim(ClippedSurface::Rim& rim, const Vec3& along) {
    std::vector<DirectedEdge> kept;
    for (const auto& [a, b] : rim.edges) {
      if (sign(a) <= 0 && sign(b) <= 0) kept.push_back({a, b});
      if (sign(a) < 0 && sign(b) > 0) kept.push_back({a, place_on_edge(a, b)});
      if (sign(a) > 0 && sign(b) < 0) kept.push_back({place_on_edge(a, b), b});
    }
    struct Stop {
      double at;
      int place, sum;
    };
    std::vector<Stop> stops;
    for (const DirectedEdge& edge : kept) {
      for (const int k : {0, 1}) {
        const int place = edge[static_cast<size_t>(k)];
        if (sign(place) == 0) stops.push_back({along.dot(surface_.at(place)), place, k == 0 ? -1 : 1});
      }
    }
    std::sort(stops.begin(), stops.end(), [](const Stop& a, const Stop& b) { return a.at != b.at ? a.at < b.at : a.place < b.place; });
    int carried = 0;
    for (size_t i = 0; i + 1 < stops.size(); ++i) {
      carried += stops[i].sum;
      if (stops[i].place == stops[i + 1].place) continue;
      for (int n = 0; n < carried; ++n) kept.push_back({stops[i].place, stops[i + 1].place});
      for (int n = 0; n > carried; --n) kept.push_back({stops[i + 1].place, stops[i].place});
    }
    rim.edges = without_pairs(std::move(kept));
  }

  /// The cap runs against everything else that is left open in the plane.
  void note_rims() {
    std::map<int, std::vector<DirectedEdge>> by_shell;
    for (size_t f = 0; f < surface_.faces.size(); ++f) {
      const std::span<const int> face = surface_.faces[f];
      for (size_t k = 0; k < face.size(); ++k) {
        const int a = surface_.place(face[k]), b = surface_.place(face[(k + 1) % face.size()]);
        if (sign(a) == 0 && sign(b) == 0) by_shell[surface_.faces.shells[f]].push_back({b, a});
      }
    }
    for (const ClippedSurface::Rim& rim : surface_.rims) {
      for (const auto& [a, b] : rim.edges) {
        if (sign(a) == 0 && sign(b) == 0) by_shell[rim.shell].push_back({b, a});
      }
    }
    std::erase_if(surface_.rims, [](const ClippedSurface::Rim& rim) { return rim.edges.empty(); });
    for (auto& [shell, edges] : by_shell) {
      edges = without_pairs(std::move(edges));
      join_open_ends(surface_, edges);
      if (!edges.empty()) surface_.rims.push_back({side_, shell, std::move(edges)});
    }
  }

  ClippedSurface& surface_;
  std::span<const HalfSpace> sides_;
  int side_;
  const HalfSpace& plane_;
  std::vector<double> height_;  // #places: above the plane
  std::vector<int> sign_;       // #places: 0 on it, 1 outside
  std::map<std::pair<int, int>, int> cut_places_, cut_vertices_;
};

bool is_good(const Triangle& triangle, const Places& places) {
  int corners[3];
  for (size_t k = 0; k < 3; ++k) {
    if (triangle[k] < 0 || triangle[k] >= static_cast<int>(places.of.size())) return false;
    corners[k] = places.of[static_cast<size_t>(triangle[k])];
    if (corners[k] < 0) return false;
  }
  return corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0];
}

}  // namespace

ClippedSurface start_clipping(const TriMesh& surface) {
  ClippedSurface clipped;
  Places places = find_places(surface.positions);
  clipped.values = surface;
  drop_unfit_attributes(clipped.values);
  for (size_t v = 0; v < surface.positions.size(); ++v) clipped.vertices.push_back({places.of[v], static_cast<int>(v)});
  std::vector<int> good;
  std::vector<Triangle> of_places;
  for (size_t t = 0; t < surface.triangles.size(); ++t) {
    const Triangle& triangle = surface.triangles[t];
    if (!is_good(triangle, places)) continue;
    good.push_back(static_cast<int>(t));
    of_places.push_back({clipped.place(triangle[0]), clipped.place(triangle[1]), clipped.place(triangle[2])});
  }
  const std::vector<int> shells = find_shells(places.positions, of_places);
  for (size_t i = 0; i < good.size(); ++i) clipped.faces.add(surface.triangles[static_cast<size_t>(good[i])], shells[i], good[i]);
  clipped.places = std::move(places.positions);
  clipped.edge_of.assign(clipped.places.size(), {-1, -1});
  clipped.of_surface = static_cast<int>(clipped.places.size());
  const Bounds bounds = bounds_of(clipped.places);
  if (!bounds.empty()) clipped.slack = kSlack * std::max({bounds.diagonal(), bounds.low.cwiseAbs().maxCoeff(), bounds.high.cwiseAbs().maxCoeff()});
  return clipped;
}

void clip(ClippedSurface& surface, std::span<const HalfSpace> sides, int side) {
  Knife(surface, sides, side).run();
}

Vec3 place_between(const Vec3& a, const Vec3& b, double fraction) {
  const bool turned = !comes_first(a, b);
  const Vec3 &first = turned ? b : a, &second = turned ? a : b;
  return first + fraction * (second - first);
}

void add_vertex_between(int a, int b, double fraction, int place, ClippedSurface& surface) {
  if (!comes_first(surface.at(surface.place(a)), surface.at(surface.place(b)))) std::swap(a, b);
  add_vertex_between(a, b, static_cast<float>(fraction), surface.values);
  surface.vertices.push_back({place, -1});
}

std::vector<DirectedEdge> without_pairs(std::vector<DirectedEdge> edges) {
  const auto undirected = [](const DirectedEdge& edge) { return std::pair(std::min(edge[0], edge[1]), std::max(edge[0], edge[1])); };
  std::sort(edges.begin(), edges.end(), [&](const DirectedEdge& a, const DirectedEdge& b) { return undirected(a) < undirected(b); });
  std::vector<DirectedEdge> left;
  for (size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    const std::pair<int, int> key = undirected(edges[begin]);
    int net = 0;
    for (; end < edges.size() && undirected(edges[end]) == key; ++end) net += edges[end][0] == key.first ? 1 : -1;
    if (key.first == key.second) continue;
    for (int n = 0; n < net; ++n) left.push_back({key.first, key.second});
    for (int n = 0; n > net; --n) left.push_back({key.second, key.first});
  }
  return left;
}

}  // namespace crumple
