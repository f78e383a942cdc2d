#include "crumple/particles/cloud.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "crumple/geometry/curve_order.h"
#include "crumple/geometry/point_skin.h"
#include "crumple/geometry/point_tree.h"
#include "crumple/geometry/winding.h"

namespace crumple::particles {
namespace {

constexpr size_t kMany = 50000;  // points: more do not fit in the cache, so they are sorted to lie near their neighbours
constexpr size_t kMinPoints = 4;  // of a shape
constexpr double kApart = 0.7;    // spacings: nearer to a finer region there are no particles

double area_of(const TriMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    area += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return area;
}

std::vector<Vec3> along_curve(const std::vector<Vec3>& points) {
  std::vector<Vec3> sorted;
  sorted.reserve(points.size());
  for (const int i : curve_order(points)) sorted.push_back(points[static_cast<size_t>(i)]);
  return sorted;
}

/// Weight of a stroke at a point.
double coverage(const PaintStroke& stroke, const Vec3& point) {
  const Vec3 along = stroke.to.value_or(stroke.at) - stroke.at;
  const double length2 = along.squaredNorm();
  const double t = length2 > 0 ? std::clamp((point - stroke.at).dot(along) / length2, 0.0, 1.0) : 0;
  const double beyond = (point - stroke.at - t * along).norm() - stroke.radius;
  if (beyond <= 0) return 1;
  if (beyond >= stroke.soft) return 0;
  const double u = 1 - beyond / stroke.soft;
  return u * u * (3 - 2 * u);
}

bool holds(const Region& region, const Vec3& p) {
  const Vec3 away = p - region.center;
  return region.radius > 0 ? away.norm() <= region.radius : (away.cwiseAbs() - 0.5 * region.size).maxCoeff() <= 0;
}

/// Samples all with each spacing that is asked for, and takes from each what lies in its region. At borders the coarser ones keep away from the finer.
Result<std::vector<Vec3>> sample_regions(const TriMesh& surface, SampleSettings sample, const std::vector<FinerRegion>& regions) {
  const auto region_of = [&](const Vec3& p) {
    size_t found = 0;  // outside of all
    for (size_t r = 0; r < regions.size(); ++r) {
      if (holds(regions[r].within, p)) found = r + 1;
    }
    return found;
  };
  std::vector<std::pair<double, size_t>> order = {{sample.spacing, 0}};  // finest first
  for (size_t r = 0; r < regions.size(); ++r) order.emplace_back(regions[r].spacing, r + 1);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Vec3> points;
  for (const auto& [spacing, region] : order) {
    sample.spacing = spacing;
    const Result<std::vector<Vec3>> all = sample_inside(surface, sample);
    if (!all) return all;
    std::optional<PointTree> taken;
    if (!points.empty()) taken.emplace(points);
    std::vector<Vec3> fitting;
    for (const Vec3& p : *all) {
      if (region_of(p) == region && (!taken || taken->nearest(p, kApart * spacing).point < 0)) fitting.push_back(p);
    }
    points.insert(points.end(), fitting.begin(), fitting.end());
  }
  return points;
}

std::vector<float>& painted_by(const PaintStroke& stroke, Cloud& cloud) {
  switch (stroke.map) {
    case PaintStroke::Map::Toughness:
      return cloud.toughness;
    case PaintStroke::Map::Stiffness:
      return cloud.stiffness;
    case PaintStroke::Map::Flow:
      return cloud.flow;
    default:
      return cloud.yield;
  }
}

}  // namespace

Result<Cloud> fill_surface(std::shared_ptr<const TriMesh> surface, std::span<const PaintedMap> maps, const FillSettings& settings, const std::string& where) {
  Cloud cloud;
  cloud.surface = std::move(surface);
  cloud.volume = signed_volume(cloud.surface->positions, cloud.surface->triangles);
  if (!(cloud.volume > 0)) return input_error(where + ": the surface encloses no volume; are its faces turned outwards and closed?");
  SampleSettings sample;
  sample.kind = settings.sampling, sample.seed = static_cast<uint64_t>(settings.sampling_seed);
  sample.spacing = settings.spacing.value_or(spacing_for(settings.particles, cloud.volume, area_of(*cloud.surface)));
  Result<std::vector<Vec3>> points = settings.regions.empty() ? sample_inside(*cloud.surface, sample) : sample_regions(*cloud.surface, sample, settings.regions);
  if (!points) return input_error(fmt::format("{}: {}", where, points.error().text));
  if (points->size() < kMinPoints) {
    return input_error(
        fmt::format("{}: there is room for only {} if particles are {:.3g} m apart, and 4 make a shape; use more particles or a smaller spacing", where,
                    points->size(), sample.spacing));
  }
  cloud.points = points->size() < kMany ? std::move(*points) : along_curve(*points);
  for (PaintedMap& map : maps_on_points(maps, *cloud.surface, cloud.points)) {
    for (const auto& [name, factors] : {std::pair{"toughness", &cloud.toughness}, {"yield", &cloud.yield}, {"stiffness", &cloud.stiffness}, {"flow", &cloud.flow}}) {
      if (map.name == name) *factors = std::move(map.values);
    }
  }
  return cloud;
}

double depth_under(std::span<const Vec3> surface, std::span<const Vec3> points, double most) {
  Bounds inner, outer;
  for (const Vec3& p : points) inner.add(p);
  for (const Vec3& p : surface) outer.add(p);
  return std::clamp(((inner.low - outer.low) + (outer.high - inner.high)).sum() / 6, 0.0, most);
}

Result<void> wrap_points(Cloud& cloud, const FillSettings& settings, const std::string& where) {
  SkinSettings skin_settings;
  skin_settings.spacing = settings.spacing.value_or(0);
  Result<TriMesh> skin = skin_of_points(cloud.points, skin_settings);
  if (!skin) return input_error(fmt::format("{}: no skin can be made around them: {}", where, skin.error().text));
  cloud.volume = signed_volume(skin->positions, skin->triangles);
  cloud.surface = std::make_shared<const TriMesh>(std::move(*skin));
  return {};
}

Result<void> paint(const FillSettings& settings, const std::string& where, Cloud& cloud) {
  for (size_t s = 0; s < settings.paint.size(); ++s) {
    const PaintStroke& stroke = settings.paint[s];
    std::vector<float>& factors = painted_by(stroke, cloud);
    factors.resize(cloud.points.size(), 1.0f);
    bool met = false;
    for (size_t i = 0; i < cloud.points.size(); ++i) {
      const double share = coverage(stroke, cloud.points[i]);
      met = met || share > 0;
      factors[i] += static_cast<float>(share * (stroke.value - factors[i]));
    }
    if (!met)
      return input_error(
          fmt::format("{}: meets no particle; places are in the body's own frame", fmt::format("{}/paint/{}", where, s)));
  }
  return {};
}

}  // namespace crumple::particles
