#include <algorithm>

#include <fmt/format.h>

#include "crumple/geometry/winding.h"
#include "crumple/io/particles.h"
#include "crumple/scene/body.h"

namespace crumple {
namespace {

constexpr double kWater = 1000;  // kg/m^3

std::string where_of(const Scene& scene, const BodyDescription& body, std::string_view key) {
  return fmt::format("{}: /bodies/{}/{}", place_in_file(scene, body.line), body.name, key);
}

/// A cloud of particles in the body's frame, how fast each is beside the body, and the surface around them.
struct Cloud {
  std::vector<Vec3> points;
  std::vector<Vec3> velocities;  // #points or empty
  std::shared_ptr<const TriMesh> surface;
  double volume = 0;  // m^3
};

double area_of(const TriMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles) area += 0.5 * (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm();
  return area;
}

Result<std::shared_ptr<const TriMesh>> surface_of(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  if (!d.mesh.empty()) return library.load_mesh(scene, d.mesh, d.scale, where_of(scene, d, "mesh"));
  if (!d.asset.empty()) {
    auto loaded = library.load(scene, d);
    if (!loaded) return loaded.error();
    body.loaded = *loaded;
    return std::shared_ptr<const TriMesh>(body.loaded->rig, &body.loaded->rig->asset.surface);
  }
  build_primitive(body);
  return body.surface;
}

Result<Cloud> sampled_cloud(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  Cloud cloud;
  auto surface = surface_of(body, scene, library);
  if (!surface) return surface.error();
  cloud.surface = *surface;
  cloud.volume = signed_volume(cloud.surface->positions, cloud.surface->triangles);
  if (!(cloud.volume > 0)) return input_error(where_of(scene, d, "clusters") + ": the surface encloses no volume; are its faces turned outwards and closed?");
  SampleSettings settings;
  settings.kind = d.clusters->sampling, settings.seed = static_cast<uint64_t>(d.clusters->sampling_seed);
  settings.spacing = d.clusters->spacing.value_or(spacing_for(d.clusters->particles, cloud.volume, area_of(*cloud.surface)));
  Result<std::vector<Vec3>> points = sample_inside(*cloud.surface, settings);
  if (!points) return input_error(fmt::format("{}: {}", where_of(scene, d, "clusters"), points.error().text));
  cloud.points = std::move(*points);
  return cloud;
}

Result<Cloud> read_cloud(const Scene& scene, const BodyDescription& d) {
  Cloud cloud;
  for (const ParticleFile& file : d.particles) {
    Result<std::vector<Vec3>> points = io::read_particles(resolve_path(scene, file.file));
    if (!points) return input_error(fmt::format("{}: {}", where_of(scene, d, "particles"), points.error().text));
    for (const Vec3& p : *points) cloud.points.push_back(d.scale * (file.scale * p + file.at)), cloud.velocities.push_back(file.velocity);
  }
  const Bounds bounds = bounds_of(cloud.points);
  TriMesh box = make_box(bounds.high - bounds.low);
  for (Vec3& p : box.positions) p += 0.5 * (bounds.high + bounds.low);
  cloud.volume = signed_volume(box.positions, box.triangles);
  cloud.surface = std::make_shared<const TriMesh>(std::move(box));
  return cloud;
}

void set_motion(const BodyDescription& d, const Cloud& cloud, const Transform& place, ClusterLayer& layer) {
  const Vec3 center = clusters::center_of_mass(layer.model, layer.state);
  for (size_t i = 0; i < layer.state.velocities.size(); ++i) {
    Vec3 velocity = d.velocity + d.spin.cross(place * cloud.points[i] - center);
    if (!cloud.velocities.empty()) velocity += cloud.velocities[i];
    layer.state.velocities[i].head<3>() = velocity.cast<float>();
  }
  layer.state.time = d.start;
}

Look inner_look(const BodyDescription& d, const Look& skin) {
  if (d.clusters->inner) return *d.clusters->inner;
  Look inner = skin;
  inner.color = 0.5f * (skin.color + Vec3f(0.75f, 0.72f, 0.68f)), inner.roughness = 0.9, inner.metal = 0;
  return inner;
}

}  // namespace

Result<void> build_clusters(Body& body, const Scene& scene, AssetLibrary& library) {
  const BodyDescription& d = *body.description;
  Result<Cloud> cloud = d.particles.empty() ? sampled_cloud(body, scene, library) : read_cloud(scene, d);
  if (!cloud) return cloud.error();
  const Transform place = {rotation_of(d), d.at};
  clusters::Particles particles;
  for (const Vec3& p : cloud->points) particles.positions.push_back(place * p);
  body.mass = d.mass.value_or(d.density.value_or(kWater) * cloud->volume);
  particles.masses = {body.mass / static_cast<double>(std::max<size_t>(cloud->points.size(), 1))};
  const auto complain = [&](const Error& error) { return input_error(fmt::format("{}: {}", where_of(scene, d, "clusters"), error.text)); };
  Result<clusters::Model> model = clusters::build(particles, d.clusters->settings);
  if (!model) return complain(model.error());
  if (Result<void> loads = clusters::check_loads(*model, d.clusters->loads); !loads) {
    return input_error(fmt::format("{}/{}", where_of(scene, d, "clusters"), loads.error().text));
  }
  Result<clusters::SurfaceModel> surface = clusters::build_surface(*model, cloud->surface, place);
  if (!surface) return complain(surface.error());
  ClusterLayer& layer = body.clusters.emplace();
  layer.model = std::move(*model), layer.surface = std::move(*surface);
  layer.state = clusters::start(layer.model);
  layer.loads = d.clusters->loads;
  clusters::set_centers(layer.model, layer.loads);
  layer.start_particles = layer.state.particles();
  set_motion(d, *cloud, place, layer);
  layer.drawn = std::make_shared<clusters::Surface>(clusters::start_surface(layer.surface));
  layer.inner = inner_look(d, body.look);
  body.surface = cloud->surface;
  body.loaded.reset();
  BodyPart& part = body.parts.front();
  part = {}, part.pieces = {0}, part.mass = body.mass;
  return {};
}

}  // namespace crumple
