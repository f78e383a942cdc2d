#pragma once

#include <btBulletDynamicsCommon.h>

#include "crumple/math/block_cholesky.h"

namespace crumple::rigid {

// Numbers pass through unchanged; rotations stay matrices both ways.
inline btVector3 to_bullet(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}
inline btTransform to_bullet(const Transform& t) {
  const Mat3& r = t.rotation;
  return btTransform(btMatrix3x3(r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)), to_bullet(t.translation));
}
inline Vec3 from_bullet(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}
inline Transform from_bullet(const btTransform& t) {
  Transform result;
  for (int row = 0; row < 3; ++row) result.rotation.row(row) = from_bullet(t.getBasis()[row]).transpose();
  result.translation = from_bullet(t.getOrigin());
  return result;
}

/// Velocity and spin as one.
inline Vec6 velocity_of(const btVector3& linear, const btVector3& angular) {
  Vec6 result;
  result << from_bullet(linear), from_bullet(angular);
  return result;
}

}  // namespace crumple::rigid
