#include "crumple/geometry/snap_to_sides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/LU>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

struct NearPlane {
  Vec3 normal;
  double distance;  // signed, m
  bool touched;     // the point is in or at a cell that has it as a side
};

/// A box around the tetrahedra of each vertex.
std::vector<Bounds> surroundings(const TetMesh& mesh) {
  std::vector<Bounds> result(mesh.positions.size());
  for (const Tetrahedron& tet : mesh.tets) {
    for (const int v : tet) {
      for (const int other : tet) result[static_cast<size_t>(v)].add(mesh.positions[static_cast<size_t>(other)]);
    }
  }
  return result;
}

/// Sides of the cell within slack of a point. A plane seen from both sides is one.
void add_near_planes(const Vec3& point, const ConvexCell& cell, double slack, std::vector<NearPlane>& planes) {
  const auto distance = [&](const HalfSpace& side) { return side.normal.dot(point) - side.offset; };
  const bool at_cell = std::all_of(cell.sides.begin(), cell.sides.end(), [&](const HalfSpace& side) { return distance(side) <= slack; });
  for (const HalfSpace& side : cell.sides) {
    const double d = distance(side);
    if (std::abs(d) > slack) continue;
    const auto is_same = [&](const NearPlane& other) { return other.normal == side.normal || other.normal == -side.normal; };
    const auto known = std::find_if(planes.begin(), planes.end(), is_same);
    if (known == planes.end()) {
      planes.push_back({side.normal, d, at_cell});
    } else {
      known->touched |= at_cell;
    }
  }
}

/// The shortest step onto one to three planes; huge or no number if they are parallel.
Vec3 step_onto(std::span<const NearPlane> planes) {
  const auto count = static_cast<Eigen::Index>(planes.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> normals(count, 3), products;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> distances(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    normals.row(i) = planes[static_cast<size_t>(i)].normal.transpose();
    distances[i] = planes[static_cast<size_t>(i)].distance;
  }
  products = normals * normals.transpose();
  return -normals.transpose() * products.partialPivLu().solve(distances);
}

/// The same for a point that may not leave a box: along its walls if need be. Infinite if there is no such step.
Vec3 step_within(std::vector<NearPlane> planes, const Vec3& point, const Bounds& box) {
  while (planes.size() <= 3) {
    const Vec3 step = step_onto(planes), place = point + step;
    int left = -1;
    for (int axis = 0; axis < 3; ++axis) {
      if (place[axis] < box.low[axis] || place[axis] > box.high[axis]) left = axis;
    }
    if (left < 0) return step;
    // From where it stands: a point within slack of the wall, for further no step goes.
    planes.push_back({Vec3::Unit(left), 0, false});
  }
  return Vec3::Constant(std::numeric_limits<double>::infinity());
}

/// Nearest planes first, those that matter most before others; one that would move the point too far together with those before stays where it is.
Vec3 snapped(const Vec3& point, std::vector<NearPlane>& planes, const Bounds& box, double slack) {
  std::stable_sort(planes.begin(), planes.end(), [](const NearPlane& a, const NearPlane& b) {
    return std::pair(!a.touched, std::abs(a.distance)) < std::pair(!b.touched, std::abs(b.distance));
  });
  std::vector<NearPlane> chosen;
  Vec3 step = Vec3::Zero();
  for (const NearPlane& plane : planes) {
    chosen.push_back(plane);
    const Vec3 longer = step_within(chosen, point, box);
    if (longer.norm() <= 3 * slack) {
      step = longer;
    } else {
      chosen.pop_back();
    }
    if (chosen.size() == 3) break;
  }
  return point + step;
}

}  // namespace

std::vector<Vec3> snap_to_sides(const TetMesh& mesh, std::span<const ConvexCell> cells, std::span<const Bounds> bounds, double slack) {
  const std::vector<Bounds> around = surroundings(mesh);
  const Bounds box = bounds_of(mesh.positions);
  std::vector<Vec3> result = mesh.positions;
  parallel_for(result.size(), 64, [&](size_t begin, size_t end) {
    Bounds all;
    for (size_t i = begin; i < end; ++i) all.add(around[i].low), all.add(around[i].high);
    std::vector<size_t> candidates;
    for (size_t c = 0; c < cells.size(); ++c) {
      if (overlap(all, bounds[c])) candidates.push_back(c);
    }
    std::vector<NearPlane> planes;
    for (size_t i = begin; i < end; ++i) {
      planes.clear();
      for (const size_t c : candidates) {
        if (overlap(around[i], bounds[c])) add_near_planes(mesh.positions[i], cells[c], slack, planes);
      }
      if (!planes.empty()) result[i] = snapped(mesh.positions[i], planes, box, slack);
    }
  });
  return result;
}

}  // namespace crumple
