#include "crumple/world/particle_cloud.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/geometry/curve_order.h"
#include "crumple/geometry/point_skin.h"
#include "crumple/geometry/repaint.h"
#include "crumple/geometry/winding.h"
#include "crumple/rig/paint.h"

namespace crumple {
namespace {

constexpr double kFarthestParticle = 1e9;  // m: beyond, neither distances nor volumes can be trusted
constexpr size_t kMany = 50000;    // points that do not fit where memory is fast: neighbours are to lie near each other in it

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

/// A surface and what is painted on it.
struct Painted {
  std::shared_ptr<const TriMesh> surface;
  std::vector<PaintedMap> maps;
};

Result<Painted> asset_surface(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  const Result<const Asset*> asset = library.original(scene, d.asset);
  if (!asset) return asset.error();
  TriMesh surface = (*asset)->surface;
  for (Vec3& p : surface.positions) p *= d.scale;
  if (d.look && d.look->paint) surface = repainted(surface, main_color(surface), *d.look->paint);
  if (!d.look) body.look.color = (*asset)->color, body.look.metal = (*asset)->metal, body.look.roughness = (*asset)->roughness;
  return Painted{std::make_shared<const TriMesh>(std::move(surface)), (*asset)->maps};
}

Result<Painted> surface_of(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  if (!d.asset.empty()) return asset_surface(body, scene, library);
  if (d.mesh.empty()) {
    build_primitive(body);
    return Painted{body.surface, {}};
  }
  const std::string where = where_of(scene, d, "mesh");
  auto mesh = library.load_mesh(scene, d.mesh, d.scale, where);
  if (!mesh) return mesh.error();
  Result<std::vector<PaintedMap>> maps = library.load_maps(scene, d.mesh, (*mesh)->positions.size(), where);
  if (!maps) return maps.error();
  return Painted{*mesh, std::move(*maps)};
}

Result<ParticleCloud> fill_surface(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  ParticleCloud cloud;
  const Result<Painted> painted = surface_of(body, scene, library);
  if (!painted) return painted.error();
  cloud.surface = painted->surface;
  cloud.volume = signed_volume(cloud.surface->positions, cloud.surface->triangles);
  if (!(cloud.volume > 0))
    return input_error(where_of(scene, d, "clusters") + ": the surface encloses no volume; are its faces turned outwards and closed?");
  SampleSettings settings;
  settings.kind = d.clusters->sampling, settings.seed = static_cast<uint64_t>(d.clusters->sampling_seed);
  settings.spacing = d.clusters->spacing.value_or(spacing_for(d.clusters->particles, cloud.volume, area_of(*cloud.surface)));
  Result<std::vector<Vec3>> points = sample_inside(*cloud.surface, settings);
  if (!points) return input_error(fmt::format("{}: {}", where_of(scene, d, "clusters"), points.error().text));
  if (points->size() < static_cast<size_t>(clusters::kLeastMembers)) {
    return input_error(
        fmt::format("{}: there is room for only {} if particles are {:.3g} m apart, and 4 make a shape; use more particles or a smaller spacing",
                    where_of(scene, d, "clusters"), points->size(), settings.spacing));
  }
  cloud.points = points->size() < kMany ? std::move(*points) : along_curve(*points);
  for (PaintedMap& map : maps_on_points(painted->maps, *cloud.surface, cloud.points)) {
    if (map.name == "toughness")
      cloud.toughness = std::move(map.values);
    else if (map.name == "yield")
      cloud.yield = std::move(map.values);
  }
  return cloud;
}

Result<ParticleCloud> read_cloud(const Scene& scene, const BodyDescription& d, AssetLibrary& library) {
  ParticleCloud cloud;
  for (size_t i = 0; i < d.particles.size(); ++i) {
    const ParticleFile& file = d.particles[i];
    const auto points = library.load_particles(scene, file.file, where_of(scene, d, fmt::format("particles/{}/file", i)));
    if (!points) return points.error();
    for (const Vec3& p : **points) {
      cloud.points.push_back(d.scale * (file.scale * p + file.at)), cloud.velocities.push_back(file.velocity);
      if (!(cloud.points.back().cwiseAbs().maxCoeff() <= kFarthestParticle)) {
        return input_error(
            fmt::format("{}: a particle is farther than {:g} m away", where_of(scene, d, fmt::format("particles/{}/file", i)), kFarthestParticle));
      }
    }
  }
  SkinSettings settings;
  settings.spacing = d.clusters->spacing.value_or(0);
  Result<TriMesh> skin = skin_of_points(cloud.points, settings);
  if (!skin) return input_error(fmt::format("{}: no skin can be made around them: {}", where_of(scene, d, "particles"), skin.error().text));
  cloud.volume = signed_volume(skin->positions, skin->triangles);
  cloud.surface = std::make_shared<const TriMesh>(std::move(*skin));
  return cloud;
}

/// How much of a stroke's value a point gets.
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

/// Strokes go over what the surface has, and over each other.
Result<void> paint(const Scene& scene, const BodyDescription& d, ParticleCloud& cloud) {
  for (size_t s = 0; s < d.clusters->paint.size(); ++s) {
    const PaintStroke& stroke = d.clusters->paint[s];
    std::vector<float>& factors = stroke.map == PaintStroke::Map::Toughness ? cloud.toughness : cloud.yield;
    factors.resize(cloud.points.size(), 1.0f);
    bool met = false;
    for (size_t i = 0; i < cloud.points.size(); ++i) {
      const double share = coverage(stroke, cloud.points[i]);
      met = met || share > 0;
      factors[i] += static_cast<float>(share * (stroke.value - factors[i]));
    }
    if (!met)
      return input_error(
          fmt::format("{}: meets no particle; places are in the body's own frame", where_of(scene, d, fmt::format("clusters/paint/{}", s))));
  }
  return {};
}

}  // namespace

std::string where_of(const Scene& scene, const BodyDescription& body, std::string_view key) {
  return fmt::format("{}: /bodies/{}/{}", place_in_file(scene, body.line), body.name, key);
}

Result<ParticleCloud> make_cloud(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  Result<ParticleCloud> cloud = d.particles.empty() ? fill_surface(body, scene, library) : read_cloud(scene, d, library);
  if (!cloud) return cloud;
  if (const Result<void> painted = paint(scene, d, *cloud); !painted) return painted.error();
  return cloud;
}

}  // namespace crumple
