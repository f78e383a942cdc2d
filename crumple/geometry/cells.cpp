#include "crumple/geometry/cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "crumple/core/parallel.h"
#include "crumple/geometry/cell_parts.h"

namespace crumple {
namespace {

// Planes nearer to each other than this share of the box, all over it, are one.
constexpr double kSamePlane = 1e-12;

bool same_plane(const Linear& a, const Linear& b, const ConvexPolyhedron<3>& box, double tolerance) {
  for (int i = 0; i < static_cast<int>(box.points.size()); ++i) {
    if (std::abs(box.value(a, i) - box.value(b, i)) > tolerance) return false;
  }
  return true;
}

/// Planes of unit normal; what is no plane or there already is left out.
std::vector<Linear> distinct_planes(std::span<const CutPlane> planes, const Bounds& box) {
  const ConvexPolyhedron<3> solid = box_polyhedron(box);
  const double tolerance = kSamePlane * scale_of(box);
  std::vector<Linear> distinct;
  for (const CutPlane& plane : planes) {
    const double length = plane.normal.norm();
    Linear unit;
    unit << plane.normal / length, -plane.offset / length;
    if (!unit.allFinite()) continue;
    const auto is_same = [&](const Linear& other) { return same_plane(unit, other, solid, tolerance) || same_plane(-unit, other, solid, tolerance); };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(unit);
  }
  return distinct;
}

struct PlanePart {
  ConvexPolyhedron<3> solid;
  std::vector<uint8_t> beyond;  // #planes so far: on their positive side
};

/// Cuts all parts by a plane. Parts that it misses learn on which side of it they are.
void split(std::vector<PlanePart>& parts, const Linear& plane, int number, double tolerance) {
  using Place = ConvexPolyhedron<3>::Place;
  const size_t count = parts.size();
  for (size_t p = 0; p < count; ++p) {
    const Place place = parts[p].solid.place(plane, tolerance);
    if (place == Place::Across) {
      PlanePart other = parts[p];
      other.solid.clip(-plane, tolerance, side_tag(number, true));
      other.beyond.push_back(1);
      parts[p].solid.clip(plane, tolerance, side_tag(number, false));
      parts.push_back(std::move(other));
    }
    parts[p].beyond.push_back(place == Place::Outside ? 1 : 0);
  }
}

/// Seeds that have a cell: those in one place share the first one's.
std::vector<int> seeds_with_cells(std::span<const Vec3> seeds, const Bounds& box) {
  const double tolerance = kSamePlane * scale_of(box);
  std::vector<int> order(seeds.size());
  for (size_t i = 0; i < seeds.size(); ++i) order[i] = static_cast<int>(i);
  std::erase_if(order, [&](int i) { return !seeds[static_cast<size_t>(i)].allFinite(); });
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::pair(seeds[static_cast<size_t>(a)].x(), a) < std::pair(seeds[static_cast<size_t>(b)].x(), b); });
  std::vector<uint8_t> dropped(seeds.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const Vec3& a = seeds[static_cast<size_t>(order[i])];
    for (size_t j = i + 1; j < order.size(); ++j) {
      const Vec3& b = seeds[static_cast<size_t>(order[j])];
      if (b.x() - a.x() > tolerance) break;
      if ((b - a).norm() <= tolerance) dropped[static_cast<size_t>(std::max(order[i], order[j]))] = 1;
    }
  }
  std::erase_if(order, [&](int i) { return dropped[static_cast<size_t>(i)] != 0; });
  std::sort(order.begin(), order.end());
  return order;
}

/// Seen from the lower seed, so that both cells get the same bits.
Linear bisector(std::span<const Vec3> seeds, int from, int to) {
  const Vec3 &low = seeds[static_cast<size_t>(std::min(from, to))], &high = seeds[static_cast<size_t>(std::max(from, to))];
  const Vec3 normal = (high - low).normalized();
  Linear plane;
  plane << normal, -normal.dot(0.5 * (low + high));
  return from < to ? plane : Linear(-plane);
}

double farthest(const ConvexPolyhedron<3>& solid, const Vec3& from) {
  double result = 0;
  for (const Vec3& point : solid.points) result = std::max(result, (point - from).norm());
  return result;
}

ConvexCell voronoi_cell(std::span<const Vec3> seeds, std::span<const int> taking_part, int seed, const Bounds& box) {
  const Vec3& center = seeds[static_cast<size_t>(seed)];
  using Near = std::pair<double, int>;
  std::vector<Near> others;
  others.reserve(taking_part.size());
  for (const int other : taking_part) {
    if (other != seed) others.emplace_back((seeds[static_cast<size_t>(other)] - center).norm(), other);
  }
  std::make_heap(others.begin(), others.end(), std::greater<>());
  const double tolerance = rounding_of(box);
  ConvexPolyhedron<3> solid = box_polyhedron(box);
  double radius = farthest(solid, center);
  // The bisector of a seed further than twice the farthest point of the cell misses it.
  while (!others.empty() && others.front().first <= 2 * radius) {
    const int other = others.front().second;
    std::pop_heap(others.begin(), others.end(), std::greater<>());
    others.pop_back();
    const Linear side = bisector(seeds, seed, other);
    if (solid.place(side, tolerance) == ConvexPolyhedron<3>::Place::Inside) continue;
    if (!solid.clip(side, tolerance, other)) return empty_cell(box);
    radius = farthest(solid, center);
  }
  ConvexCell cell;
  for (const int other : tags_of(solid)) cell.sides.push_back(half_space(bisector(seeds, seed, other), other));
  return cell;
}

}  // namespace

double scale_of(const Bounds& box) {
  return std::max({box.diagonal(), box.low.cwiseAbs().maxCoeff(), box.high.cwiseAbs().maxCoeff()});
}

double rounding_of(const Bounds& box) {
  return 1e-14 * scale_of(box);
}

HalfSpace half_space(const Linear& side, int beyond) {
  return {side.head<3>(), -side[3], beyond};
}

std::vector<int> tags_of(const ConvexPolyhedron<3>& solid) {
  std::vector<int> tags;
  for (const auto& face : solid.faces) {
    if (face.tag >= 0) tags.push_back(face.tag);
  }
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

ConvexCell empty_cell(const Bounds& box) {
  ConvexCell cell;
  cell.sides = {{Vec3::UnitX(), box.low.x() - 1 - scale_of(box)}};
  return cell;
}

std::vector<ConvexCell> cells_between_planes(std::span<const CutPlane> planes, const Bounds& box) {
  if (box.empty()) return {};
  const std::vector<Linear> distinct = distinct_planes(planes, box);
  std::vector<PlanePart> parts(1);
  parts[0].solid = box_polyhedron(box);
  for (size_t k = 0; k < distinct.size(); ++k) split(parts, distinct[k], static_cast<int>(k), rounding_of(box));
  std::map<std::vector<uint8_t>, int> number;
  for (size_t p = 0; p < parts.size(); ++p) number[parts[p].beyond] = static_cast<int>(p);
  std::vector<ConvexCell> cells(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    cells[p].label = static_cast<int>(p);
    for (const int tag : tags_of(parts[p].solid)) {
      std::vector<uint8_t> across = parts[p].beyond;
      across[static_cast<size_t>(plane_of_tag(tag))] ^= 1;
      const auto neighbor = number.find(across);
      cells[p].sides.push_back(half_space(side_of_tag(distinct, tag), neighbor == number.end() ? -1 : neighbor->second));
    }
  }
  return cells;
}

std::vector<ConvexCell> voronoi_cells(std::span<const Vec3> seeds, const Bounds& box) {
  std::vector<ConvexCell> cells(seeds.size(), empty_cell(box));
  const std::vector<int> taking_part = box.empty() ? std::vector<int>() : seeds_with_cells(seeds, box);
  parallel_for(taking_part.size(), 16, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) cells[static_cast<size_t>(taking_part[i])] = voronoi_cell(seeds, taking_part, taking_part[i], box);
  });
  for (size_t i = 0; i < cells.size(); ++i) cells[i].label = static_cast<int>(i);
  return cells;
}

}  // namespace crumple
