#pragma once

#include <memory>
#include <span>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "crumple/rigid/moving_hull.h"
#include "crumple/rigid/shape.h"

namespace crumple::rigid {

/// One part's shape in the engine, with everything it is made of.
class CollisionShape {
 public:
  explicit CollisionShape(const Shape& shape);
  btCollisionShape* get() const { return shape_.get(); }
  bool is_compound() const { return !hulls_.empty(); }
  /// All hulls' points one after another.
  void move_hulls(std::span<const Vec3> points);
  const MovingHull& hull(int index) const { return *hulls_[index]; }
  int hull_count() const { return static_cast<int>(hulls_.size()); }

 private:
  void make(const Box& box);
  void make(const Sphere& sphere);
  void make(const Cylinder& cylinder);
  void make(const Capsule& capsule);
  void make(const Plane& plane);
  void make(const Triangles& triangles);
  void make(const Hulls& hulls);

  std::vector<std::unique_ptr<MovingHull>> hulls_;  // children of a compound
  std::unique_ptr<btTriangleMesh> triangles_;       // read by a triangle shape
  std::unique_ptr<btCollisionShape> shape_;
};

}  // namespace crumple::rigid
