#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// Mass, centre and inertia tensor (about the centre) of point masses.
struct PointMassProperties {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

PointMassProperties mass_of_points(std::span<const Vec3f> positions, std::span<const double> masses);

struct PrincipalFrame {
  Mat3 axes = Mat3::Identity();  // columns, right-handed
  Vec3 moments = Vec3::Zero();   // about each axis
};

/// Principal axes of a symmetric tensor, reached by Jacobi rotations from `start`, so they stay as near to it as the tensor
/// allows: no axis jumps or swaps while a body deforms, even if two moments are nearly equal.
PrincipalFrame principal_frame(const Mat3& inertia, const Mat3& start);

}  // namespace crumple
