#pragma once

#include <array>
#include <vector>

#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {

/// A model as arrays: clustering takes seconds, reading the result does not.
struct StoredModel {
  std::array<double, 7> numbers = {};  // origin, unit, spacing, clusters, radius
  std::vector<Vec4f> rest;             // this and the following as in Model
  std::vector<int32_t> begin, particle;
  std::vector<float> mass;
  std::vector<Vec4f> ball;
  std::vector<CutPlane> planes;
};
struct ModelSizes {
  size_t particles = 0, clusters = 0, slots = 0, planes = 0;
};

StoredModel stored(const Model& model);
void resize(StoredModel& stored, const ModelSizes& sizes);
std::vector<StateArray> arrays(StoredModel& stored);
/// The model that build() makes of these particles. Fails if the stored arrays do not fit them.
Result<Model> rebuilt(const StoredModel& stored, const Particles& particles, const Settings& settings);

}  // namespace crumple::clusters
