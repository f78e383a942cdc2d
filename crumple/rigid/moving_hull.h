#pragma once

#include <span>
#include <vector>

#include <btBulletCollisionCommon.h>

#include "crumple/math/types.h"

namespace crumple::rigid {

/// A convex hull whose points move. To the engine it is a convex shape of our own kind, because the engine's search for the point
/// farthest in a direction, one point at a time, took a third of all rigid time; this one looks at sixteen points at once, in single
/// precision: of points that are equally far to a tenth of a micrometre any will do.
class MovingHull final : public btConvexInternalAabbCachingShape {
 public:
  MovingHull(std::span<const Vec3> points, double margin);
  void move(std::span<const Vec3> points);
  int getNumPoints() const { return static_cast<int>(points_.size()); }
  const btVector3& point(int index) const { return points_[static_cast<size_t>(index)]; }
  /// How far it reaches in a direction, margin included.
  double reach(const btVector3& direction) const;

  btVector3 localGetSupportingVertex(const btVector3& direction) const override;
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& direction) const override;
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* directions, btVector3* points, int count) const override;
  void calculateLocalInertia(btScalar mass, btVector3& inertia) const override;
  const char* getName() const override { return "MovingHull"; }

 private:
  void refit();

  std::vector<btVector3> points_;
  // x of eight points, y of the same eight, z; and so on. Filled up to whole groups of sixteen with copies of the first point.
  std::vector<float> lanes_;
};

}  // namespace crumple::rigid
