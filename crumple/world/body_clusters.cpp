#include <algorithm>

#include <fmt/format.h>

#include "crumple/geometry/refine.h"
#include "crumple/world/particle_cloud.h"

namespace crumple {
namespace {

constexpr double kLongestEdge = 1.5;  // of what is drawn, in spacings between particles

/// Where it begins, if that is not where it rests. [initialStretch of paper 2's program]
Result<void> stretch(const Vec3& by, const ParticleCloud& cloud, const Transform& place, ClusterLayer& layer) {
  if (by == Vec3::Ones()) return {};
  for (size_t i = 0; i < layer.state.positions.size(); ++i) {
    layer.state.positions[i].head<3>() = (place * Vec3(by.cwiseProduct(cloud.points[i])) - layer.model.origin).cast<float>();
  }
  return clusters::restored(layer.model, layer.state);
}

void set_motion(const BodyDescription& d, const ParticleCloud& cloud, ClusterLayer& layer) {
  const Vec3 center = clusters::center_of_mass(layer.model, layer.state);
  for (size_t i = 0; i < layer.state.velocities.size(); ++i) {
    Vec3 velocity = d.velocity + d.spin.cross(clusters::position(layer.model, layer.state, static_cast<int>(i)) - center);
    if (!cloud.velocities.empty()) velocity += cloud.velocities[i];
    layer.state.velocities[i].head<3>() = velocity.cast<float>();
  }
  layer.state.time = d.start;
}

/// The method's own complaints begin with its name, which is in the place already.
std::string_view without_prefix(std::string_view text) {
  constexpr std::string_view kPrefix = "clusters: ";
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
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
  Result<ParticleCloud> cloud = make_cloud(body, scene, library);
  if (!cloud) return cloud.error();
  const Transform place = {rotation_of(d), d.at};
  clusters::Particles particles;
  for (const Vec3& p : cloud->points) particles.positions.push_back(place * p);
  body.mass = d.mass.value_or(d.density.value_or(kWater) * cloud->volume);
  particles.masses = {body.mass / static_cast<double>(std::max<size_t>(cloud->points.size(), 1))};
  particles.toughness = cloud->toughness, particles.yield = cloud->yield;
  const auto complain = [&](const Error& error) {
    return input_error(fmt::format("{}: {}", where_of(scene, d, "clusters"), without_prefix(error.text)));
  };
  Result<clusters::Model> model = library.cluster_models.model(d.name, particles, d.clusters->settings);
  if (!model) return complain(model.error());
  if (Result<void> loads = particles::check_boundary(clusters::starts(*model), d.clusters->boundary); !loads) {
    return input_error(fmt::format("{}/{}", where_of(scene, d, "clusters"), loads.error().text));
  }
  // A long edge stays straight whatever the particles do.
  const auto drawn = std::make_shared<const TriMesh>(refined(*cloud->surface, kLongestEdge * model->spacing));
  Result<clusters::SurfaceModel> surface = clusters::build_surface(*model, drawn, place);
  if (!surface) return complain(surface.error());
  ClusterLayer& layer = body.clusters.emplace();
  layer.model = std::move(*model), layer.surface = std::move(*surface);
  layer.state = clusters::start(layer.model);
  layer.boundary = d.clusters->boundary;
  particles::set_centers(clusters::starts(layer.model), layer.boundary);
  layer.start_particles = layer.state.particles();
  if (Result<void> stretched = stretch(d.clusters->prestretch, *cloud, place, layer); !stretched) return complain(stretched.error());
  set_motion(d, *cloud, layer);
  layer.drawn = std::make_shared<clusters::Surface>(clusters::start_surface(layer.surface));
  layer.inner = inner_look(d, body.look);
  body.surface = drawn;
  body.loaded.reset();
  BodyPart& part = body.parts.front();
  part = {}, part.pieces = {0}, part.mass = body.mass;
  return {};
}

}  // namespace crumple
