#pragma once

#include <memory>
#include <mutex>

#include "crumple/geometry/mesh.h"
#include "crumple/methods/clusters/clusters.h"

/// The surface of a body at rest as a grid of signed distances, for contact with other soft bodies.
namespace crumple::clusters {

struct RestField {
  Vec3f low = Vec3f::Zero();     // from the model's origin
  float cell = 1;                // m
  int count[3] = {0, 0, 0};      // nodes along each axis
  std::vector<float> distance;   // #nodes, m, below zero inside; no farther than a few cells
  std::vector<float> depth;      // #originals, m: under the surface, at most about half a spacing
  std::vector<Vec3f> outward;    // #originals: towards the nearest surface

  /// Signed distance at a place in rest space, and its gradient. Far outside: large, without gradient.
  float at(const Vec3f& rest, Vec3f& gradient) const;
};

RestField rest_field(const Model& model, const TriMesh& surface, const Transform& place);

/// Built on first contact: most bodies never meet another soft one.
struct LazyField {
  std::once_flag once;
  RestField field;
};

}  // namespace crumple::clusters
