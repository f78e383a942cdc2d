#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "crumple/geometry/spacing.h"
#include "crumple/methods/clusters/clustering.h"
#include "crumple/methods/clusters/topology.h"

namespace crumple::clusters {
namespace {

constexpr size_t kMaxParticles = 20'000'000;
constexpr double kCoincide = 1e-7;  // of the body's size: single precision cannot tell such particles apart
constexpr float kLongAgo = 1e9f;    // s

/// Checks settings again, because only those read from a scene were checked.
Result<void> check_settings(const Settings& settings) {
  Settings copy;
  return Fields::read(Fields::write(settings), "clusters", copy);
}

Result<void> check_particles(const Particles& particles) {
  const size_t count = particles.positions.size();
  if (count < static_cast<size_t>(kMinMembers))
    return input_error(fmt::format("clusters: {} particles; at least {} are needed to have a shape", count, kMinMembers));
  if (count > kMaxParticles) return input_error(fmt::format("clusters: {} particles are more than {}; sample more coarsely", count, kMaxParticles));
  if (particles.masses.size() != count && particles.masses.size() != 1) {
    return input_error(fmt::format("clusters: {} masses for {} particles; give one for each, or one for all", particles.masses.size(), count));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!particles.positions[i].allFinite()) return input_error(fmt::format("clusters: particle {} has no finite position", i));
    if (particles.positions[i].cwiseAbs().maxCoeff() > 1e9) return input_error(fmt::format("clusters: particle {} is farther than 1e9 m away", i));
  }
  for (size_t i = 0; i < particles.masses.size(); ++i) {
    if (!(particles.masses[i] > 0 && std::isfinite(particles.masses[i])))
      return input_error(fmt::format("clusters: the mass of particle {} must be above 0, not {}", i, particles.masses[i]));
  }
  for (const std::vector<float>* painted : {&particles.toughness, &particles.yield}) {
    if (!painted->empty() && painted->size() != count)
      return input_error(fmt::format("clusters: {} painted factors for {} particles", painted->size(), count));
    for (const float factor : *painted) {
      if (!(factor >= 0 && std::isfinite(factor))) return input_error("clusters: painted factors must be finite and not negative");
    }
  }
  return {};
}

Result<Spacing> check_spacing(const Particles& particles) {
  const Spacing spacing = measure_spacing(particles.positions);
  Vec3 low = particles.positions[0], high = low;
  for (const Vec3& p : particles.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
  if (!(spacing.least > kCoincide * (high - low).norm())) {
    return input_error(fmt::format("clusters: particles {} and {} coincide at ({:.6g}, {:.6g}, {:.6g}); remove one of them", spacing.a, spacing.b,
                                   particles.positions[static_cast<size_t>(spacing.a)][0], particles.positions[static_cast<size_t>(spacing.a)][1],
                                   particles.positions[static_cast<size_t>(spacing.a)][2]));
  }
  return spacing;
}

/// Shares each particle's mass, in whole units, among its clusters.
void share_masses(const Clustering& clustering, std::span<const double> masses, Model& model) {
  std::vector<double> total(masses.size(), 0.0), left(masses.size());
  std::vector<int> remaining(masses.size(), 0);
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    for (size_t k = 0; k < clustering.members[c].size(); ++k) {
      const size_t i = static_cast<size_t>(clustering.members[c][k]);
      total[i] += clustering.weights[c][k], ++remaining[i];
    }
  }
  for (size_t i = 0; i < masses.size(); ++i) left[i] = std::max<double>(std::round(masses[i] / model.unit), remaining[i]);
  std::vector<double> whole = left;
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    model.begin.push_back(static_cast<int32_t>(model.particle.size()));
    for (size_t k = 0; k < clustering.members[c].size(); ++k) {
      const size_t i = static_cast<size_t>(clustering.members[c][k]);
      const double most = left[i] - --remaining[i];  // leaves at least one unit for each of the others
      const double share = remaining[i] == 0 ? left[i] : std::clamp(std::round(whole[i] * clustering.weights[c][k] / total[i]), 1.0, most);
      left[i] -= share;
      model.particle.push_back(static_cast<int32_t>(i));
      model.mass.push_back(static_cast<float>(share));
    }
  }
  model.begin.push_back(static_cast<int32_t>(model.particle.size()));
}

/// Sides on which a cluster ends well inside its ball become planes. [Jones et al. 2015]
void flatten_sides(const Clustering& clustering, std::span<const Vec3> points, Model& model) {
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    Mat3 moment = Mat3::Zero();
    Vec3 mean = Vec3::Zero();
    for (const int32_t i : clustering.members[c]) mean += points[static_cast<size_t>(i)] / static_cast<double>(clustering.members[c].size());
    for (const int32_t i : clustering.members[c])
      moment += (points[static_cast<size_t>(i)] - mean) * (points[static_cast<size_t>(i)] - mean).transpose();
    const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(moment).eigenvectors();
    for (int side = 0; side < 6; ++side) {
      const Vec3 normal = axes.col(side / 2) * (side % 2 ? -1.0 : 1.0);
      double extent = 0;
      for (const int32_t i : clustering.members[c]) extent = std::max(extent, normal.dot(points[static_cast<size_t>(i)] - clustering.centers[c]));
      if (extent >= model.settings.flat * clustering.radius) continue;
      const double offset = normal.dot(clustering.centers[c] - model.origin) + extent + model.spacing / 2;
      model.planes.push_back({normal.cast<float>(), static_cast<float>(offset), static_cast<int32_t>(c), -1});
    }
    const Vec3f center = (clustering.centers[c] - model.origin).cast<float>();
    model.ball.push_back(Vec4f(center[0], center[1], center[2], static_cast<float>(clustering.radius)));
  }
}

void find_families(Model& model) {
  model.family.assign(model.rest.size() + 1, 0);
  for (const int32_t i : model.particle) ++model.family[static_cast<size_t>(i) + 1];
  for (size_t i = 0; i < model.rest.size(); ++i) model.family[i + 1] += model.family[i];
}

}  // namespace

Result<Model> build(const Particles& particles, const Settings& settings) {
  if (const Result<void> fine = check_settings(settings); !fine) return fine.error();
  if (const Result<void> fine = check_particles(particles); !fine) return fine.error();
  const Result<Spacing> spacing = check_spacing(particles);
  if (!spacing) return spacing.error();
  const std::span<const Vec3> points = particles.positions;
  std::vector<double> masses = particles.masses;
  masses.resize(points.size(), masses[0]);
  const double radius =
      settings.radius > 0 ? settings.radius : std::max(usual_radius(points, settings.clusters, spacing->usual), 1.5 * spacing->usual);
  if (radius < spacing->usual) {
    return input_error(fmt::format("clusters: a radius of {:.6g} m reaches nothing: particles are {:.6g} m apart; give at least {:.3g} m", radius,
                                   spacing->usual, 3 * spacing->usual));
  }
  const Result<Clustering> clustering = cluster(points, masses, settings, radius);
  if (!clustering) return clustering.error();

  Model model;
  model.settings = settings;
  model.settings.clusters = clustering->clusters, model.settings.radius = clustering->radius;
  model.spacing = spacing->usual;
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  model.origin = (low + high) / 2;
  model.unit = std::exp2(std::ceil(std::log2(*std::max_element(masses.begin(), masses.end()))) - 23);
  model.toughness = particles.toughness, model.yield = particles.yield;
  for (const Vec3& p : points) {
    const Vec3f rest = (p - model.origin).cast<float>();
    model.rest.push_back(Vec4f(rest[0], rest[1], rest[2], 0));
  }
  share_masses(*clustering, masses, model);
  flatten_sides(*clustering, points, model);
  find_families(model);
  return model;
}

State start(const Model& model, const Vec3& velocity) {
  State state;
  resize(model, state, {model.rest.size(), model.begin.size() - 1, model.planes.size()});
  std::vector<int32_t> next(model.family.begin(), model.family.end() - 1);
  for (size_t c = 0; c + 1 < model.begin.size(); ++c) {
    for (int32_t s = model.begin[c]; s < model.begin[c + 1]; ++s) {
      const size_t slot = static_cast<size_t>(s), i = static_cast<size_t>(model.particle[slot]);
      const int32_t e = next[i]++;
      state.slot_particle[slot] = model.particle[slot], state.slot_mass[slot] = model.mass[slot], state.slot_entry[slot] = e;
      state.entry_cluster[static_cast<size_t>(e)] = static_cast<int32_t>(c), state.entry_slot[static_cast<size_t>(e)] = s;
    }
    state.slot_begin[c] = model.begin[c], state.slot_count[c] = model.begin[c + 1] - model.begin[c];
    state.since_tear[c] = model.settings.boosted_at_start ? 0 : kLongAgo;
  }
  const Vec3f v = velocity.cast<float>();
  for (size_t i = 0; i < model.rest.size(); ++i) {
    state.positions[i] = model.rest[i], state.positions[i][3] = 1;
    state.velocities[i] = Vec4f(v[0], v[1], v[2], 0);
    state.original[i] = static_cast<int32_t>(i), state.held[i] = -1;
    state.entry_begin[i] = model.family[i], state.entry_count[i] = model.family[i + 1] - model.family[i];
  }
  state.ball = model.ball, state.planes = model.planes;
  derive(model, state);
  for (size_t c = 0; c < state.center.size(); ++c) state.center[c] = state.shapes[c].rest_center;
  return state;
}

}  // namespace crumple::clusters
