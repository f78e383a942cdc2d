#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/rigid/shape.h"

/// Shapes of the rigid world as obstacles: signed distance to the surface, and outward direction.
namespace crumple::rigid {

class MeshField;

/// An obstacle shape in its own frame; `kind` selects the fields in use.
struct ObstacleShape {
  enum class Kind { Ball, Box, Plane, Cylinder, Capsule, Hull, Mesh, Field };
  Kind kind = Kind::Ball;
  double radius = 0;                                                // Ball, Cylinder, Capsule; Field: bounding radius
  Vec3 half = Vec3::Zero();                                         // Box: half its edges; Cylinder, Capsule: half its height (without caps) at [1], its axis being y
  std::vector<Eigen::Vector4d> planes;                              // Hull: outward normal . x <= fourth; Plane: the first alone
  size_t inner = 0;                                                 // Hull: number of last planes that lie inside a neighbour and are no exit
  Bounds box;                                                       // Hull: bounding box; empty: not known
  std::shared_ptr<const MeshField> mesh;                            // Mesh
  std::function<double(const Vec3& point, Vec3& normal)> distance;  // Field: signed, below zero inside, with the outward direction
};

/// Signed distance to a shape's surface in its own frame, below zero inside, and the outward direction there. Surfaces farther than `within` may
/// count as infinitely far.
double signed_distance(const ObstacleShape& shape, const Vec3& point, Vec3& normal, double within = std::numeric_limits<double>::infinity());
/// Box around a shape in its own frame; empty if it is not known or there is none.
Bounds box_of(const ObstacleShape& shape);
/// Approximate depth inside the shape at which another side becomes nearer; 0: not known.
double depth_of(const ObstacleShape& shape);

/// Obstacle of an engine shape, in the frame of its part. Not for hulls, which have several shapes.
ObstacleShape obstacle_shape(const Shape& shape);
/// The obstacle of each hull, with its margin. Faces between two hulls are marked: particles are never pushed out through them.
std::vector<ObstacleShape> obstacle_shapes(const Hulls& hulls);

}  // namespace crumple::rigid
