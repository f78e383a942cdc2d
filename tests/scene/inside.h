#pragma once

#include "crumple/io/files.h"
#include "crumple/world/arrays.h"
#include "crumple/world/world.h"

namespace crumple {

/// What a method keeps of a body, for tests that ask about its inside.
using Examples = AtWork<examples::Settings, examples::Model, examples::State>;
using Scored = AtWork<pieces::Settings, pieces::Model, pieces::State>;
using Structures = AtWork<structures::Settings, structures::Model, structures::State>;
using Bends = AtWork<bends::Settings, bends::Model, bends::State>;
using Clusters = AtWork<clusters::BodySettings, clusters::BodyModel, clusters::BodyState>;

using PointsAtWork = AtWork<points::BodySettings, points::Model, points::State>;
inline const PointsAtWork& points_of_body(const Body& body) {
  return std::get<PointsAtWork>(*body.matter);
}

inline const clusters::Model& clusters_model(const Body& body) {
  return std::get<Clusters>(*body.matter).model.clusters;
}
inline const clusters::State& clusters_state(const Body& body) {
  return std::get<Clusters>(*body.matter).state.clusters;
}
/// Goes on from arrays that a test has made or changed.
inline Result<void> restore(World& world, int frame, const io::ArrayStore& arrays) {
  return world.restore({frame, world.fingerprint(), {}, arrays});
}

/// Model and state of a body of clusters.
struct SoftInside {
  const clusters::Model& model;
  const clusters::State& state;
};
inline SoftInside soft_inside(const Body& body) {
  return {clusters_model(body), clusters_state(body)};
}
inline const Scored& pieces_of_body(const Body& body) {
  return std::get<Scored>(*body.bonds);
}
inline const Structures& structure_of_body(const Body& body) {
  return std::get<Structures>(*body.bonds);
}
inline const Examples& examples_of_body(const Body& body) {
  return std::get<Examples>(body.layers.back());
}

/// Of all state, without the names and the scene that are part of a fingerprint: tells a change of motion from a change of keys.
inline uint64_t state_hash(World& world) {
  uint64_t hash = 0;
  for (const io::ArrayView& array : world.checkpoint_arrays().views) hash = io::hash_bytes(array.data, hash);
  return hash;
}

}  // namespace crumple
