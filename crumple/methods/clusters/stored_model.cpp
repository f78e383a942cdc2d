#include "crumple/methods/clusters/stored_model.h"

#include <cmath>

#include <fmt/format.h>

#include "crumple/core/index.h"

namespace crumple::clusters {
namespace {

bool anything(std::span<const std::byte>) {
  return true;
}

bool is_same_cloud(const StoredModel& stored, const Particles& particles, const Vec3& origin) {
  if (stored.rest.size() != particles.positions.size()) return false;
  for (size_t i = 0; i < stored.rest.size(); ++i) {
    if (Vec3f(stored.rest[i].head<3>()) != Vec3f((particles.positions[i] - origin).cast<float>())) return false;
  }
  return true;
}

/// Checks that every cluster has members and every particle is a member, with a share of its mass.
const char* fault_in_model(const StoredModel& stored) {
  const size_t clusters = stored.ball.size();
  if (clusters == 0 || stored.begin.size() != clusters + 1 || stored.begin.front() != 0) return "its clusters are wrong";
  if (stored.particle.size() != stored.mass.size() || at(stored.begin.back()) != stored.particle.size()) return "its memberships are incomplete";
  for (size_t c = 0; c < clusters; ++c) {
    if (stored.begin[c] > stored.begin[c + 1]) return "its clusters are wrong";
  }
  std::vector<uint8_t> covered(stored.rest.size(), 0);
  for (size_t s = 0; s < stored.particle.size(); ++s) {
    if (stored.particle[s] < 0 || at(stored.particle[s]) >= covered.size()) return "it names particles that are not there";
    if (!(stored.mass[s] >= 1 && stored.mass[s] <= 16777216.0f)) return "its masses are wrong";
    covered[at(stored.particle[s])] = 1;
  }
  for (const uint8_t one : covered) {
    if (!one) return "particles belong to nothing";
  }
  for (const CutPlane& plane : stored.planes) {
    if (plane.cluster < 0 || at(plane.cluster) >= clusters || plane.crack != -1 || !plane.normal.allFinite() || !std::isfinite(plane.offset))
      return "its planes are wrong";
  }
  return nullptr;
}

}  // namespace

StoredModel stored(const Model& model) {
  StoredModel stored;
  stored.numbers = {model.origin[0],      model.origin[1], model.origin[2], model.unit, model.spacing, static_cast<double>(model.settings.clusters),
                    model.settings.radius};
  stored.rest = model.rest, stored.begin = model.begin, stored.particle = model.particle, stored.mass = model.mass;
  stored.ball = model.ball, stored.planes = model.planes;
  return stored;
}

void resize(StoredModel& stored, const ModelSizes& sizes) {
  stored.rest.resize(sizes.particles), stored.begin.resize(sizes.clusters + 1), stored.particle.resize(sizes.slots), stored.mass.resize(sizes.slots);
  stored.ball.resize(sizes.clusters), stored.planes.resize(sizes.planes);
}

std::vector<StateArray> arrays(StoredModel& stored) {
  return {
      state_array("numbers", std::span<double>(stored.numbers), stored.numbers.size()),
      state_rows<float>("rest", std::span(stored.rest)),
      state_rows<int32_t>("begin", std::span(stored.begin)),
      state_rows<int32_t>("particle", std::span(stored.particle)),
      state_rows<float>("mass", std::span(stored.mass)),
      state_rows<float>("ball", std::span(stored.ball)),
      {"planes", sizeof(CutPlane), std::as_writable_bytes(std::span(stored.planes)), anything},  // checked by rebuilt()
  };
}

Result<Model> rebuilt(const StoredModel& stored, const Particles& particles, const Settings& settings) {
  const auto& [x, y, z, unit, spacing, clusters, radius] = stored.numbers;
  const Vec3 origin(x, y, z);
  if (!(unit > 0 && spacing > 0 && clusters >= 1 && clusters <= 1e9 && radius > 0))
    return input_error("clusters: the stored model is damaged: its numbers are wrong");
  if (!is_same_cloud(stored, particles, origin)) return input_error("clusters: the stored model is of other particles");
  if (const char* fault = fault_in_model(stored)) return input_error(fmt::format("clusters: the stored model is damaged: {}", fault));
  Model model;
  model.settings = settings;
  model.settings.clusters = static_cast<int>(clusters), model.settings.radius = radius;
  model.origin = origin, model.unit = unit, model.spacing = spacing;
  model.rest = stored.rest, model.begin = stored.begin, model.particle = stored.particle, model.mass = stored.mass;
  model.toughness = particles.toughness, model.yield = particles.yield;
  model.ball = stored.ball, model.planes = stored.planes;
  model.family.assign(model.rest.size() + 1, 0);
  for (const int32_t i : model.particle) ++model.family[at(i) + 1];
  for (size_t i = 0; i < model.rest.size(); ++i) model.family[i + 1] += model.family[i];
  return model;
}

}  // namespace crumple::clusters
