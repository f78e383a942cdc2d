#pragma once

#include "crumple/world/body.h"

namespace crumple {

/// The particles of a body of clusters, in its own frame, and the surface around them.
struct ParticleCloud {
  std::vector<Vec3> points;
  std::vector<Vec3> velocities;         // #points or empty: beside the body's
  std::vector<float> toughness, yield;  // #points or empty: painted factors
  std::shared_ptr<const TriMesh> surface;
  double volume = 0;  // m^3
};

/// Fills the surface of a body, or reads its particles from files, and paints them. The look of an asset becomes that of the body.
Result<ParticleCloud> make_cloud(Body& body, const Scene& scene, AssetLibrary& library);

/// "bar.json:3: /bodies/bar/clusters", for messages.
std::string where_of(const Scene& scene, const BodyDescription& body, std::string_view key);

}  // namespace crumple
