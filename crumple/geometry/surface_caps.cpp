#include "crumple/geometry/surface_caps.h"

#include <algorithm>
#include <cmath>

#include "crumple/geometry/places.h"
#include "crumple/geometry/planar_mesh.h"
#include "crumple/geometry/triangulate.h"

namespace crumple {
namespace {

// What a side may be divided into at most, whatever `edge` asks for.
constexpr double kMaxOnRim = 1e4, kMaxInside = 1e4;

std::pair<int, int> key_of(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// The divisions of the edge from a to b in this direction.
std::vector<int> divisions(const ClippedSurface& surface, const DividedEdges& divided, int a, int b) {
  const auto found = divided.find(key_of(a, b));
  if (found == divided.end()) return {};
  if (comes_first(surface.at(a), surface.at(b))) return found->second;
  return {found->second.rbegin(), found->second.rend()};
}

/// Divides triangles whose sides carry points. Each cut goes from the middle of the side with most of them to the corner opposite.
class FaceDivider {
 public:
  FaceDivider(ClippedSurface& surface, const DividedEdges& divided) : surface_(surface), divided_(divided) {}

  FaceTriangles run() {
    for (size_t f = 0; f < surface_.faces.size(); ++f) {
      const std::span<const int> face = surface_.faces[f];
      std::vector<int> corners(face.begin(), face.end());
      while (corners.size() > 3) divide(take_ear(corners));
      divide({corners[0], corners[1], corners[2]});
      result_.sources.resize(result_.triangles.size(), surface_.faces.triangles[f]);
    }
    return std::move(result_);
  }

 private:
  /// Takes off the corner between the two that are nearest to each other.
  Triangle take_ear(std::vector<int>& corners) const {
    const size_t count = corners.size();
    size_t best = 0;
    double shortest = 1e300;
    for (size_t k = 0; k < count; ++k) {
      const double length =
          (surface_.at(surface_.place(corners[(k + 1) % count])) - surface_.at(surface_.place(corners[(k + count - 1) % count]))).norm();
      if (length < shortest) shortest = length, best = k;
    }
    const Triangle ear = {corners[(best + count - 1) % count], corners[best], corners[(best + 1) % count]};
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(best));
    return ear;
  }

  void divide(const Triangle& triangle) {
    std::array<std::vector<int>, 3> on_sides;
    for (size_t k = 0; k < 3 && !divided_.empty(); ++k) on_sides[k] = vertices_on(triangle[k], triangle[(k + 1) % 3]);
    divide(triangle, on_sides);
  }

  std::vector<int> vertices_on(int a, int b) {
    const int from = surface_.place(a), to = surface_.place(b);
    const std::vector<int> places = divisions(surface_, divided_, from, to);
    if (places.empty()) return {};
    const auto [found, is_new] = made_.try_emplace(key_of(a, b));
    const bool forward = comes_first(surface_.at(from), surface_.at(to));
    if (is_new) {
      const double parts = static_cast<double>(places.size()) + 1;
      for (size_t i = 0; i < places.size(); ++i) {
        const size_t from_first = forward ? i : places.size() - 1 - i;
        found->second.push_back(static_cast<int>(surface_.vertices.size()));
        add_vertex_between(a, b, static_cast<double>(i + 1) / parts, places[from_first], surface_);
      }
    }
    return forward ? found->second : std::vector<int>(found->second.rbegin(), found->second.rend());
  }

  void divide(const Triangle& corners, const std::array<std::vector<int>, 3>& on_sides) {
    size_t k = 0;
    for (size_t other = 1; other < 3; ++other) k = on_sides[other].size() > on_sides[k].size() ? other : k;
    if (on_sides[k].empty()) return result_.triangles.push_back(corners);
    const size_t next = (k + 1) % 3, last = (k + 2) % 3;
    const std::vector<int>& side = on_sides[k];
    const auto middle = side.begin() + static_cast<std::ptrdiff_t>(side.size() / 2);
    divide({corners[k], *middle, corners[last]}, {std::vector<int>(side.begin(), middle), {}, on_sides[last]});
    divide({*middle, corners[next], corners[last]}, {std::vector<int>(middle + 1, side.end()), on_sides[next], {}});
  }

  ClippedSurface& surface_;
  const DividedEdges& divided_;
  FaceTriangles result_;
  std::map<std::pair<int, int>, std::vector<int>> made_;  // of two vertices, from the one whose place comes first
};

/// Points of one side of the cell in its plane.
struct Plan {
  std::vector<int> places;  // #points
  std::vector<Vec2> points;
  std::vector<Ring> rings;
  std::vector<int> shells;  // #rings
};

void add_rim(Plan& plan, const ClippedSurface& surface, const ClippedSurface::Rim& rim, const DividedEdges& divided, const PlaneFrame& frame) {
  std::vector<DirectedEdge> edges;
  for (const auto& [a, b] : rim.edges) {
    int from = a;
    for (const int place : divisions(surface, divided, a, b)) edges.push_back({from, place}), from = place;
    edges.push_back({from, b});
  }
  std::vector<int> places;
  for (const DirectedEdge& edge : edges) places.insert(places.end(), edge.begin(), edge.end());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const int base = static_cast<int>(plan.points.size());
  for (const int place : places) plan.places.push_back(place), plan.points.push_back(frame(surface.at(place)));
  for (DirectedEdge& edge : edges) {
    for (int& end : edge) end = base + static_cast<int>(std::lower_bound(places.begin(), places.end(), end) - places.begin());
  }
  for (Ring& ring : trace_rings(plan.points, edges)) {
    plan.rings.push_back(std::move(ring));
    plan.shells.push_back(rim.shell);
  }
}

double side_area(const Plan& plan) {
  double area = 0;
  for (const Ring& ring : plan.rings) area += std::abs(doubled_area(plan.points, ring));
  return 0.5 * area;
}

}  // namespace

PlaneFrame::PlaneFrame(const Vec3& normal) {
  Eigen::Index axis = 0;
  normal.cwiseAbs().minCoeff(&axis);
  u = normal.cross(Vec3::Unit(axis)).normalized();
  u.cwiseAbs().maxCoeff(&axis);
  if (u[axis] < 0) u = -u;
  v = normal.cross(u);
}

DividedEdges divide_rims(ClippedSurface& surface, double edge) {
  DividedEdges divided;
  if (!(edge > 0)) return divided;
  double total = 0;
  for (const ClippedSurface::Rim& rim : surface.rims) {
    for (const auto& [a, b] : rim.edges) total += (surface.at(a) - surface.at(b)).norm();
  }
  edge = std::max(edge, total / kMaxOnRim);
  for (const ClippedSurface::Rim& rim : surface.rims) {
    for (const auto& [a, b] : rim.edges) {
      const Vec3 from = surface.at(a), to = surface.at(b);
      const int parts = static_cast<int>(std::ceil((to - from).norm() / edge));
      if (parts < 2) continue;
      const auto [found, is_new] = divided.try_emplace(key_of(a, b));
      for (int i = 1; is_new && i < parts; ++i) {
        found->second.push_back(surface.add_place(place_between(from, to, static_cast<double>(i) / parts)));
      }
    }
  }
  return divided;
}

FaceTriangles triangulate_faces(ClippedSurface& surface, const DividedEdges& divided) {
  return FaceDivider(surface, divided).run();
}

std::vector<Triangle> close_side(ClippedSurface& surface, const HalfSpace& plane, int side, const DividedEdges& divided, double edge) {
  Plan plan;
  const PlaneFrame frame(plane.normal);
  for (const ClippedSurface::Rim& rim : surface.rims) {
    if (rim.side == side) add_rim(plan, surface, rim, divided, frame);
  }
  const double finest = std::sqrt(side_area(plan) / kMaxInside);
  std::vector<Triangle> closed;
  for (const PlanarRegion& region : nest_rings(plan.points, std::move(plan.rings), plan.shells)) {
    std::vector<Triangle> triangles = triangulate_polygon(plan.points, region.rings);
    if (edge > 0) {
      for (const auto& [a, b] : divide_inside(plan.points, triangles, std::max(edge, finest), static_cast<size_t>(4 * kMaxInside))) {
        const Vec3 middle = place_between(surface.at(plan.places[static_cast<size_t>(a)]), surface.at(plan.places[static_cast<size_t>(b)]), 0.5);
        plan.places.push_back(surface.add_place(middle));
      }
    } else {
      make_delaunay(plan.points, triangles);
    }
    for (Triangle& t : triangles) {
      for (int& corner : t) corner = plan.places[static_cast<size_t>(corner)];
      if (region.turned) std::swap(t[1], t[2]);
      closed.push_back(t);
    }
  }
  return closed;
}

}  // namespace crumple
