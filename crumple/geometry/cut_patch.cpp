#include <algorithm>
#include <cmath>

#include "crumple/geometry/cut_tets.h"

namespace crumple {
namespace {

// Of a loop's size: how far two planes may be apart to be the same.
constexpr double kCoplanar = 1e-6;
// Of a loop's size: shorter edges have no direction to speak of; leaving them out changes the area by their square.
constexpr double kShortEdge = 1e-6;

using Polygon = std::vector<Vec3>;

double size_of(const Polygon& loop) {
  Bounds bounds;
  for (const Vec3& point : loop) bounds.add(point);
  return bounds.diagonal();
}

bool back_to_back(const FragmentFace& a, const HalfSpace& side_a, const FragmentFace& b, const HalfSpace& side_b) {
  const double tolerance = kCoplanar * std::max(size_of(a.loop), size_of(b.loop));
  if ((side_a.normal + side_b.normal).norm() > 1e-3) return false;
  const auto near = [&](const HalfSpace& side, const Polygon& loop) {
    return std::all_of(loop.begin(), loop.end(), [&](const Vec3& x) { return std::abs(side.normal.dot(x) - side.offset) <= tolerance; });
  };
  return near(side_a, b.loop) && near(side_b, a.loop);
}

Polygon without_short_edges(const Polygon& loop) {
  const double shortest = kShortEdge * size_of(loop);
  Polygon kept;
  for (const Vec3& point : loop) {
    if (kept.empty() || ((point - kept.back()).norm() > shortest && (point - kept.front()).norm() > shortest)) kept.push_back(point);
  }
  return kept;
}

/// Keeps where (x - origin).normal <= 0.
Polygon clipped(const Polygon& loop, const Vec3& origin, const Vec3& normal) {
  Polygon result;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Vec3 &a = loop[i], &b = loop[(i + 1) % loop.size()];
    const double da = (a - origin).dot(normal), db = (b - origin).dot(normal);
    if (da <= 0) result.push_back(a);
    if (da * db < 0) result.push_back(a * (db / (db - da)) + b * (da / (da - db)));
  }
  return result;
}

/// What two loops of opposite direction in one plane have in common, as the first runs.
Polygon intersection(const Polygon& loop, const Polygon& opposite, const Vec3& normal) {
  Polygon result = loop;
  const Polygon outline = without_short_edges(opposite);
  if (outline.size() < 3) return {};
  for (size_t i = 0; i < outline.size() && !result.empty(); ++i) {
    const Vec3& from = outline[(i + 1) % outline.size()];  // backwards: in the direction of the first
    result = clipped(result, from, (outline[i] - from).cross(normal));
  }
  return result;
}

void add_polygon(const Polygon& loop, Patch& patch) {
  for (size_t i = 1; i + 1 < loop.size(); ++i) patch.add_triangle(loop[0], loop[i], loop[i + 1]);
}

/// Faces of `from` behind which the whole of `to`'s cell lies.
bool add_whole_faces(const Fragment& from, const ConvexCell& from_cell, const Fragment& to, bool turned, Patch& patch) {
  bool found = false;
  for (const FragmentFace& face : from.cuts) {
    if (from_cell.sides[static_cast<size_t>(face.side)].beyond != to.cell || face.tet_face >= 0) continue;
    Polygon loop = face.loop;
    if (turned) std::reverse(loop.begin(), loop.end());
    add_polygon(loop, patch);
    found = true;
  }
  return found;
}

bool may_meet(const HalfSpace& side, int cell) {
  return side.beyond < 0 || side.beyond == cell;
}

/// Fragments of one tetrahedron meet inside it, those of two on a face of both.
bool may_meet(const FragmentFace& a, const FragmentFace& b, bool same_tet) {
  return same_tet ? a.tet_face < 0 && b.tet_face < 0 : a.tet_face >= 0 && b.tet_face >= 0;
}

}  // namespace

void Patch::add_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 half_cross = 0.5 * (b - a).cross(c - a), sum = a + b + c;
  const double size = half_cross.norm();
  area += size;
  normal += half_cross;
  first += size / 3 * sum;
  // Exact for a quadratic: the integral of x_i x_j over a triangle.
  second += size / 12 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
}

void Patch::add(const Patch& other) {
  area += other.area;
  first += other.first;
  second += other.second;
  normal += other.normal;
}

Patch shared_patch(const Fragment& from, const ConvexCell& from_cell, const Fragment& to, const ConvexCell& to_cell) {
  Patch patch;
  // Where a cell says what is behind its side, the face is shared as a whole; the lower cell is asked first, so that both directions give one answer.
  if (from.tet == to.tet) {
    const bool upwards = from.cell < to.cell;
    if (upwards && add_whole_faces(from, from_cell, to, false, patch)) return patch;
    if (add_whole_faces(to, to_cell, from, true, patch)) return patch;
    if (!upwards && add_whole_faces(from, from_cell, to, false, patch)) return patch;
  }
  for (const FragmentFace& face : from.cuts) {
    const HalfSpace& side = from_cell.sides[static_cast<size_t>(face.side)];
    if (!may_meet(side, to.cell)) continue;
    for (const FragmentFace& other : to.cuts) {
      const HalfSpace& other_side = to_cell.sides[static_cast<size_t>(other.side)];
      if (!may_meet(other_side, from.cell) || !may_meet(face, other, from.tet == to.tet)) continue;
      if (back_to_back(face, side, other, other_side)) add_polygon(intersection(face.loop, other.loop, side.normal), patch);
    }
  }
  return patch;
}

}  // namespace crumple
