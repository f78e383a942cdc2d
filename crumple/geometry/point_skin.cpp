#include "crumple/geometry/point_skin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/flatten.h"
#include "crumple/geometry/isosurface.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/geometry/point_tree.h"
#include "crumple/geometry/spacing.h"
#include "crumple/geometry/winding.h"

namespace crumple {
namespace {

constexpr double kMostFitted = 0.4;  // spacings: how far a skin moves for the sake of its volume
constexpr double kLoneOffset = 0.5;           // spacings: of points with all their neighbours in one plane, or none
constexpr double kFlat = 0.03, kFull = 0.12;  // least over largest spread of the neighbours: of a sheet; of the side of a solid it is 0.3
// Clouds with more than this share of points in sheets need smaller cells: so small that one fits into the ball of a lone point.
constexpr double kThinShare = 0.05, kThinBall = 0.45, kThinCell = 0.55;
constexpr size_t kNeighbours = 40;
constexpr double kSpeck = 0.15;                                      // cubed spacings; the ball of a lone point has 0.5
constexpr double kNeighbourhood = 2.2, kOuterCell = 0.5, kDeep = 5;  // spacings

Result<double> check(std::span<const Vec3> points, const SkinSettings& settings) {
  if (points.empty()) return input_error("no points: there is nothing to put a skin around");
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite() || points[i].cwiseAbs().maxCoeff() > 1e9)
      return input_error(fmt::format("point {} is not finite or farther than 1e9 m away: no skin can be put around it", i));
  }
  const auto within = [](double value, double low, double high) { return value >= low && value <= high; };
  if (!within(settings.offset, 0.05, 1) || !within(settings.gap, 0.5, 10) || !within(settings.cell, 0.1, 2))
    return input_error("skin around points: give an offset of 0.05 to 1, a gap of 0.5 to 10 and cells of 0.1 to 2 spacings");
  if (settings.spacing < 0 || !std::isfinite(settings.spacing))
    return input_error(fmt::format("a spacing of {} m between points: give a length above 0", settings.spacing));
  if (settings.spacing > 0) return settings.spacing;
  const double measured = points.size() > 1 ? measure_spacing(points).usual : 0;
  if (!(measured > 0))
    return input_error("the spacing of these points cannot be measured, since most have no neighbour or coincide with one: give it");
  return measured;
}

/// How much the neighbours of a point spread in their thinnest direction: 0 in a sheet, 1 in a solid or on its side.
double fullness(const PointTree& tree, std::span<const Vec3> points, const Vec3& place, double spacing) {
  const std::vector<PointTree::Hit> near = tree.nearest_few(place, kNeighbours, kNeighbourhood * spacing);
  if (near.size() < 4) return 0;
  Vec3 mean = Vec3::Zero();
  for (const auto& hit : near) mean += points[static_cast<size_t>(hit.point)] / static_cast<double>(near.size());
  Mat3 spread = Mat3::Zero();
  for (const auto& hit : near) {
    const Vec3 from = points[static_cast<size_t>(hit.point)] - mean;
    spread += from * from.transpose();
  }
  const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
  return values[2] > 0 ? std::clamp((values[0] / values[2] - kFlat) / (kFull - kFlat), 0.0, 1.0) : 0;
}

/// A ball around each point that belongs to the body.
std::vector<double> balls_of(std::span<const Vec3> points, const SkinSettings& settings, double spacing) {
  const PointTree tree(points);
  std::vector<double> radii(points.size());
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const double full = fullness(tree, points, points[i], spacing);
      radii[i] = spacing * (settings.offset + (1 - full) * std::max(0.0, kLoneOffset - settings.offset));
    }
  });
  return radii;
}

/// The skin before it is levelled.
Result<TriMesh> roll_over(std::span<const Vec3> points, const SkinSettings& settings, double spacing) {
  const double reach = settings.gap * spacing, deep = reach + kDeep * spacing;
  const std::vector<double> radii = balls_of(points, settings, spacing);
  const PointTree balls(points, radii);
  const auto gap_at = [&](const Vec3& place) { return balls.nearest(place, deep).distance; };

  // Where the middle of the rolling ball can be: outside of this.
  IsosurfaceSettings outer;
  for (const Vec3& point : points) outer.box.add(point);
  const Vec3 margin = Vec3::Constant(reach + 2 * spacing);
  outer.box = {outer.box.low - margin, outer.box.high + margin};
  outer.cell = std::min(kOuterCell, 0.25 * settings.gap) * spacing, outer.slope = 1, outer.relax = 1, outer.most_samples = settings.most_samples;
  const Result<TriMesh> middles = isosurface([&](const Vec3& place) { return gap_at(place) - reach; }, outer);
  if (!middles) return middles.error();

  const TriangleTree tree(middles->positions, middles->triangles);
  const auto skin = [&](const Vec3& place) {
    const double gap = gap_at(place);
    return gap >= reach ? gap : reach - std::min(tree.closest(place, deep).distance, deep);
  };
  IsosurfaceSettings inner = outer;
  const bool thin =
      std::count_if(radii.begin(), radii.end(), [&](double r) { return r > kThinBall * spacing; }) > kThinShare * static_cast<double>(points.size());
  inner.cell = (thin ? std::min(settings.cell, kThinCell) : settings.cell) * spacing, inner.relax = 3;
  return isosurface(skin, inner);
}

/// Crumbs and bubbles where thin rims fall between the cells. A lone point's own skin is larger; the largest shell always stays.
void drop_specks(TriMesh& mesh, double least_volume) {
  std::vector<int> same(mesh.positions.size());
  std::iota(same.begin(), same.end(), 0);
  const Shells shells = find_shells(sorted_edge_uses(mesh.triangles, same), mesh.triangles.size());
  std::vector<double> volumes(shells.count(), 0.0);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const Vec3& near = mesh.positions[mesh.triangles[0][0]];
    volumes[static_cast<size_t>(shells.shell_of[t])] +=
        (mesh.positions[a] - near).dot((mesh.positions[b] - near).cross(mesh.positions[c] - near)) / 6;
  }
  least_volume = std::min(least_volume, *std::max_element(volumes.begin(), volumes.end()));
  TriMesh kept;
  std::vector<int> number(mesh.positions.size(), -1);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (std::abs(volumes[static_cast<size_t>(shells.shell_of[t])]) < least_volume) continue;
    Triangle triangle = mesh.triangles[t];
    for (int& v : triangle) {
      int& to = number[static_cast<size_t>(v)];
      if (to < 0) to = static_cast<int>(kept.positions.size()), kept.positions.push_back(mesh.positions[static_cast<size_t>(v)]);
      v = to;
    }
    kept.triangles.push_back(triangle);
  }
  mesh = std::move(kept);
}

/// Moves all of a surface out or in, by `most` at most, until it encloses a volume.
void fit_volume(TriMesh& mesh, double volume, double most) {
  double moved = 0;
  for (int round = 0; round < 4; ++round) {
    // The sum of a vertex's area vectors is how its motion changes the volume, times 3.
    std::vector<Vec3> areas(mesh.positions.size(), Vec3::Zero());
    double area = 0;
    for (const Triangle& t : mesh.triangles) {
      const Vec3& a = mesh.positions[static_cast<size_t>(t[0])];
      const Vec3 twice = (mesh.positions[static_cast<size_t>(t[1])] - a).cross(mesh.positions[static_cast<size_t>(t[2])] - a);
      for (const int v : t) areas[static_cast<size_t>(v)] += twice;
    }
    for (const Vec3& vector : areas) area += vector.norm() / 6;
    if (!(area > 0)) return;
    const double step = std::clamp(moved + (volume - signed_volume(mesh.positions, mesh.triangles)) / area, -most, most) - moved;
    for (size_t v = 0; v < areas.size(); ++v) {
      if (const double length = areas[v].norm(); length > 0) mesh.positions[v] += step / length * areas[v];
    }
    moved += step;
  }
}

}  // namespace

Result<TriMesh> skin_of_points(std::span<const Vec3> points, const SkinSettings& settings) {
  const Result<double> spacing = check(points, settings);
  if (!spacing) return spacing.error();
  Result<TriMesh> mesh = roll_over(points, settings, *spacing);
  if (!mesh) return mesh.error();
  drop_specks(*mesh, kSpeck * *spacing * *spacing * *spacing);
  if (settings.flatten) {
    FlattenSettings level;
    level.reach = *spacing, level.most_moved = 0.6 * *spacing;
    flatten(*mesh, level);
  }
  if (settings.volume > 0) fit_volume(*mesh, settings.volume, kMostFitted * *spacing);
  return mesh;
}

}  // namespace crumple
