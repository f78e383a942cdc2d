#pragma once

#include <variant>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple::rigid {

struct Box {
  Vec3 size;  // full edge lengths
};
struct Sphere {
  double radius;
};
struct Cylinder {
  double radius, height;  // stands along y
};
struct Capsule {
  double radius, height;  // height of the straight part's whole body, caps included; stands along y
};
struct Plane {
  Vec3 normal;  // unit length; everything below is solid
  double offset;
};
/// Not convex: static or scripted bodies only (the scene reader refuses others).
struct Triangles {
  TriMesh mesh;
};
/// A compound of convex hulls, given by their points in the part's own frame. The points may move: see World::reshape.
struct Hulls {
  std::vector<std::vector<Vec3>> points;  // #hulls
  double margin = 0.005;                  // added outside the points
};

using Shape = std::variant<Box, Sphere, Cylinder, Capsule, Plane, Triangles, Hulls>;

/// Volume, centre and inertia per unit of density about the centre, in the shape's frame. Planes and triangles have none.
struct MassProperties {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Vec3 inertia = Vec3::Zero();        // principal moments
  Mat3 axes = Mat3::Identity();       // columns: principal axes
};
MassProperties mass_properties(const Shape& shape, double density);

}  // namespace crumple::rigid
