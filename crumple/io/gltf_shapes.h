#pragma once

#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// A surface and other shapes of it, all with the same vertices.
struct ShapeSet {
  struct Shape {
    std::string name;
    std::vector<Vec3> positions;  // #vertices of the rest surface
  };
  TriMesh rest;
  std::vector<Shape> shapes;
  std::vector<std::string> warnings;
};

struct ShapeSettings {
  std::vector<std::string> only;  // names of the shapes to read; empty: all
  size_t most_shapes = 31;        // more are refused
  size_t most_keys = 8;           // of a single animation: the poses that differ most from each other
};

/// Reads every shape of the meshes in a file. Rest is the shape the scene shows without animation and morph targets; if its armature is posed there,
/// rest is the shape in which the mesh was bound, and the pose is a shape of its own.
///  - Each morph target (shape key) at full weight is a shape; targets of one name in several meshes belong together.
///  - Each animation of nodes is a shape: where it ends. If there is only one, each of its keys is, but those much like others are left out.
/// Skinned meshes follow their joints by linear blending.
Result<ShapeSet> read_gltf_shapes(const GltfDocument& document, const ShapeSettings& settings = {});

}  // namespace crumple::io
