#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crumple/geometry/elements.h"
#include "crumple/material/map.h"
#include "crumple/rig/division.h"
#include "crumple/rig/pieces.h"

namespace crumple {

/// Where one handle goes in one pose: x = rotation * stretch * u + translation, in the asset's own metres, about the origin.
struct HandleTransform {
  Quat rotation = Quat::Identity();
  Vec3 translation = Vec3::Zero();
  Mat3 stretch = Mat3::Identity();  // symmetric; only poses of drawings have one
};

struct Handle {
  std::string name;
  Vec3 position = Vec3::Zero();  // at rest
};

/// One pose of all handles. The first example of an asset is always the rest pose.
struct Example {
  std::string name;
  std::vector<HandleTransform> handles;  // #handles
};

/// How well the weights solve the program they come from, with the data to measure it again: the tetrahedra's vertices are
/// numbered as in the asset's file. Weights of another origin have none.
struct WeightCertificate {
  double kkt_residual = 0;             // the greatest of all handles, over max |Q w|
  double noise_floor = 0;              // what rounding alone may leave of it
  double target = 0;                   // of the residual; 0 if none was promised
  std::vector<std::vector<int>> held;  // #handles: the vertices each holds
  std::vector<double> raw;             // #handles x #vertices, handle after handle: before rows were made to sum to 1
};

/// A place where two layers of a drawing are pinned together.
struct Pin {
  std::string name;
  int vertex = 0;                  // of the layer that is pinned
  Triangle triangle = {0, 0, 0};   // of the layer it is pinned to
  Vec3 shares = Vec3::Zero();      // barycentric place in it
};

/// A rig in the plane z = 0, of a drawing: its elements are the triangles of the surface, and its weights those of the surface's vertices.
struct FlatRig {
  std::vector<std::string> layers;  // names, from the back to the front
  std::vector<int> layer;           // #vertices
  std::vector<Pin> pins;
};

/// What all bodies made from one model share: tetrahedra with skinning weights, handles, posed examples, and the fine
/// surface that is drawn. Metres, y up.
struct Asset {
  std::string name;
  TetMesh tets;
  std::vector<Handle> handles;
  std::vector<float> weights;  // #vertices of the rig x #handles, row after row; each row sums to 1
  std::optional<WeightCertificate> certificate;
  std::vector<Example> examples;
  TriMesh surface;
  std::vector<PaintedMap> maps;  // on the surface
  std::optional<Pieces> pieces;  // of a body that can break; `surface` is then what is drawn while it is whole
  std::optional<FlatRig> flat;   // of a drawing: it has no tetrahedra
  std::optional<Division> division;  // of a body whose pieces stay connected when they turn against each other; never in a file
  std::string material;                      // name of the surface's only material, if it has one
  Vec3f color = Vec3f(0.62f, 0.62f, 0.60f);  // of that material
  double metal = 0.0, roughness = 0.6;

  float weight(size_t vertex, size_t handle) const { return weights[vertex * handles.size() + handle]; }
  /// What its weights belong to.
  Elements elements() const { return flat ? Elements::flat(surface) : Elements(tets); }
};

}  // namespace crumple
