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
  double radius, height;  // height of the whole body, caps included (at least twice the radius); stands along y
};
struct Plane {
  Vec3 normal;  // unit length; everything below is solid
  double offset;
};
/// Not convex: static or scripted bodies only (the scene reader refuses others). A mesh that is convex after all collides as one
/// hull, which is faster and has no inner edges to stumble over.
struct Triangles {
  TriMesh mesh;
};
/// A compound of convex hulls, given by their points in the part's own frame. The points may move: see World::reshape.
struct Hulls {
  std::vector<std::vector<Vec3>> points;  // #hulls, none of them empty
  double margin = 0.005;                  // added outside the points
};

using Shape = std::variant<Box, Sphere, Cylinder, Capsule, Plane, Triangles, Hulls>;

inline constexpr double kUsualMargin = 0.005;  // m
/// Margin around the hulls of a body of this size: what is wanted, but the usual one only as far as 0.5 % of the size allow.
double margin_for(double diagonal, double wanted = kUsualMargin);

/// Mass, centre and inertia about the centre, in the shape's frame.
struct MassProperties {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Vec3 inertia = Vec3::Zero();   // principal moments
  Mat3 axes = Mat3::Identity();  // columns: principal axes, right-handed
};

/// Planes and triangles have no mass. Hulls overlap, so several count as the one convex hull around them all: exact for one hull,
/// otherwise take the mass of the mesh that they came from.
MassProperties mass_properties(const Shape& shape, double density);
/// Of the solid inside a closed surface whose triangles are counter-clockwise from outside; nothing if it encloses no volume.
MassProperties mass_properties(const TriMesh& closed, double density);

}  // namespace crumple::rigid
