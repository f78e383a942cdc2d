#pragma once

#include <cstdlib>
#include <stdexcept>

#include "crumple/core/random.h"
#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {

/// Particles on a jittered lattice in a box about the origin.
inline Particles box_particles(const Vec3& size, double spacing, double jitter = 0.2, uint64_t seed = 7) {
  Particles particles;
  Random random(seed);
  const Eigen::Vector3i count = (size / spacing).array().round().cast<int>().max(1);
  for (int x = 0; x < count[0]; ++x) {
    for (int y = 0; y < count[1]; ++y) {
      for (int z = 0; z < count[2]; ++z) {
        const Vec3 wiggle(random.range(-jitter, jitter), random.range(-jitter, jitter), random.range(-jitter, jitter));
        particles.positions.push_back((Vec3(x, y, z) + wiggle - 0.5 * (count.cast<double>() - Vec3::Ones())) * spacing);
      }
    }
  }
  particles.masses = {0.01};
  return particles;
}

inline Model built(const Particles& particles, const Settings& settings) {
  Result<Model> model = build(particles, settings);
  if (!model) throw std::runtime_error(model.error().text);  // in tests alone: the test fails with the reason
  return std::move(*model);
}

/// One cluster that holds everything.
inline Settings one_cluster() {
  Settings settings;
  settings.clusters = 1, settings.radius = 10, settings.damping = 0, settings.self_collision = false, settings.kernel = Kernel::Constant,
  settings.flat = 0;
  return settings;
}

/// Puts all particles where a map of their rest places says.
template <class Map>
void place(const Model& model, State& state, const Map& map) {
  for (size_t i = 0; i < state.positions.size(); ++i) {
    const Vec3 at = map(model.origin + model.rest[static_cast<size_t>(state.original[i])].head<3>().cast<double>()) - model.origin;
    state.positions[i].head<3>() = at.cast<float>();
  }
}

inline Context weightless(double dt = kReferenceStep) {
  Context now;
  now.dt = dt, now.gravity = Vec3::Zero();
  return now;
}

inline void run(const Model& model, State& state, Context& now, int steps) {
  for (int k = 0; k < steps; ++k) step(model, state, now);
}

}  // namespace crumple::clusters
