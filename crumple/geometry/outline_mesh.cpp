#include <algorithm>
#include <cmath>
#include <numbers>

#include "crumple/core/index.h"
#include "crumple/geometry/outline.h"
#include "crumple/geometry/planar_mesh.h"

namespace crumple {
namespace {

constexpr double kFromRim = 0.55;   // edges: how far inner points stay from the rim
constexpr int kRounds = 4;          // of smoothing

double squared_distance(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 along = b - a;
  const double length = along.squaredNorm(), share = length > 0 ? std::clamp((p - a).dot(along) / length, 0.0, 1.0) : 0.0;
  return (p - a - share * along).squaredNorm();
}

/// Whether a point is farther than a distance from all rims.
bool is_clear_of_rims(const PictureOutline& outline, const Vec2& p, double distance) {
  for (const PlanarRegion& region : outline.regions) {
    for (const Ring& ring : region.rings) {
      for (size_t i = 0; i < ring.size(); ++i) {
        if (squared_distance(p, outline.points[at(ring[i])], outline.points[at(ring[(i + 1) % ring.size()])]) < distance * distance) return false;
      }
    }
  }
  return true;
}

/// Rows of points like those of a honeycomb, away from the rims and from the wanted places.
std::vector<Vec2> inner_points(const PictureOutline& outline, const std::vector<Vec2>& wanted) {
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (const Vec2& p : outline.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  std::vector<Vec2> inner;
  const double step = outline.edge, row = 0.5 * std::sqrt(3.0) * step;
  int number = 0;
  for (double y = low.y() + 0.5 * row; y < high.y(); y += row, ++number) {
    for (double x = low.x() + (number % 2 ? 0.25 : 0.75) * step; x < high.x(); x += step) {
      const Vec2 p(x, y);
      const bool is_near_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const Vec2& q) { return (p - q).norm() < kFromRim * step; });
      if (!is_near_wanted && is_clear_of_rims(outline, p, kFromRim * step)) inner.push_back(p);
    }
  }
  return inner;
}

bool is_turned(const FlatMesh& mesh, const Triangle& t) {
  return orientation(mesh.points[at(t[0])], mesh.points[at(t[1])], mesh.points[at(t[2])]) <= 0;
}

/// Moves free points to the middle of their neighbours, where no triangle turns over.
void smooth(FlatMesh& mesh, const std::vector<char>& is_free) {
  std::vector<std::vector<int>> around(mesh.points.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const int v : mesh.triangles[t]) around[at(v)].push_back(static_cast<int>(t));
  }
  for (size_t v = 0; v < mesh.points.size(); ++v) {
    if (!is_free[v] || around[v].empty()) continue;
    Vec2 sum = Vec2::Zero();
    for (const int t : around[v]) {
      for (const int w : mesh.triangles[at(t)]) {
        if (at(w) != v) sum += 0.5 * mesh.points[at(w)];
      }
    }
    const Vec2 before = mesh.points[v];
    mesh.points[v] = sum / static_cast<double>(around[v].size());
    const bool is_bad = std::any_of(around[v].begin(), around[v].end(), [&](int t) { return is_turned(mesh, mesh.triangles[at(t)]); });
    if (is_bad) mesh.points[v] = before;
  }
}

}  // namespace

FlatMesh mesh_outline(const PictureOutline& outline, const std::vector<Vec2>& wanted) {
  FlatMesh mesh;
  mesh.points = outline.points;
  for (const PlanarRegion& region : outline.regions) {
    const std::vector<Triangle> some = triangulate_polygon(mesh.points, region.rings);
    mesh.triangles.insert(mesh.triangles.end(), some.begin(), some.end());
  }
  const size_t rim = mesh.points.size();
  const std::vector<int> held = insert_points(mesh.points, mesh.triangles, wanted);
  insert_points(mesh.points, mesh.triangles, inner_points(outline, wanted));
  std::vector<char> is_free(mesh.points.size(), 1);
  std::fill_n(is_free.begin(), rim, 0);
  for (const int v : held) {
    if (v >= 0) is_free[at(v)] = 0;
  }
  for (int round = 0; round < kRounds; ++round) {
    smooth(mesh, is_free);
    make_delaunay(mesh.points, mesh.triangles);
  }
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return is_turned(mesh, t); });
  // Points that belong to nothing, such as those of a sliver that went, are left out.
  std::vector<int> number(mesh.points.size(), -1);
  std::vector<Vec2> kept;
  for (Triangle& t : mesh.triangles) {
    for (int& v : t) {
      if (number[at(v)] < 0) number[at(v)] = static_cast<int>(kept.size()), kept.push_back(mesh.points[at(v)]);
      v = number[at(v)];
    }
  }
  mesh.points = std::move(kept);
  return mesh;
}

double smallest_angle(const FlatMesh& mesh) {
  double least = std::numbers::pi;
  for (const Triangle& t : mesh.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const Vec2 u = mesh.points[at(t[(k + 1) % 3])] - mesh.points[at(t[k])], v = mesh.points[at(t[(k + 2) % 3])] - mesh.points[at(t[k])];
      least = std::min(least, std::abs(std::atan2(u.x() * v.y() - u.y() * v.x(), u.dot(v))));
    }
  }
  return least * 180 / std::numbers::pi;
}

}  // namespace crumple
