#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/rigid/shape.h"

/// Shapes of the rigid world as something to keep out of: how far it is to their surface, and which way out.
namespace crumple::rigid {

class MeshField;

/// A thing of the rigid world in its own frame; `kind` says which of the fields count.
struct ObstacleShape {
  enum class Kind { Ball, Box, Plane, Cylinder, Capsule, Hull, Mesh, Field };
  Kind kind = Kind::Ball;
  double radius = 0;                                                // Ball, Cylinder, Capsule; Field: a ball that holds it
  Vec3 half = Vec3::Zero();                                         // Box: half its edges; Cylinder, Capsule: half its height (without caps) at [1], its axis being y
  std::vector<Eigen::Vector4d> planes;                              // Hull: outward normal . x <= fourth; Plane: the first alone
  size_t inner = 0;                                                 // Hull: so many of the last planes lie inside a neighbour, and nobody leaves through them
  Bounds box;                                                       // Hull: that holds it; empty: not known
  std::shared_ptr<const MeshField> mesh;                            // Mesh
  std::function<double(const Vec3& point, Vec3& normal)> distance;  // Field: signed, below zero inside, with the outward direction
};

/// Signed distance to a shape's surface in its own frame, below zero inside, and the outward direction there. Surfaces farther than `within` may be
/// taken for infinitely far.
double signed_distance(const ObstacleShape& shape, const Vec3& point, Vec3& normal, double within = std::numeric_limits<double>::infinity());
/// Box around a shape in its own frame; empty if it is not known or there is none.
Bounds box_of(const ObstacleShape& shape);
/// How deep into the shape one can get from outside before another side is nearer, roughly; 0: not known.
double depth_of(const ObstacleShape& shape);

/// A shape of the engine, in the frame of its part. Not for hulls, whose shapes are several.
ObstacleShape obstacle_shape(const Shape& shape);
/// The same of each hull, with its margin. Faces between two hulls are marked: nobody leaves one through them.
std::vector<ObstacleShape> obstacle_shapes(const Hulls& hulls);

}  // namespace crumple::rigid
