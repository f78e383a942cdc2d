#pragma once

#include "crumple/rig/asset.h"

#include <span>
#include <string>
#include <vector>

namespace crumple::generator {

/// Builds one example by moving handles from rest. Moves add up; a later one acts on the pose as it stands.
class Pose {
 public:
  Pose(std::string name, const std::vector<Handle>& handles);

  /// Shifts one handle and turns it about itself.
  void move(int handle, const Vec3& shift, const Quat& turn = Quat::Identity());
  /// Turns some handles about a common pivot, as one stiff part, and shifts them.
  void carry(std::span<const int> handles, const Quat& turn, const Vec3& pivot, const Vec3& shift = Vec3::Zero());

  Example example() const { return {name_, transforms_}; }

 private:
  std::string name_;
  const std::vector<Handle>& handles_;
  std::vector<HandleTransform> transforms_;
};

Quat turn_about(const Vec3& axis, double degrees);

}  // namespace crumple::generator
