#include "assets/generator/pose.h"

#include "assets/generator/ramp.h"

#include <array>
#include <utility>

namespace crumple::generator {

Pose::Pose(std::string name, const std::vector<Handle>& handles) : name_(std::move(name)), handles_(handles), transforms_(handles.size()) {}

void Pose::move(int handle, const Vec3& shift, const Quat& turn) {
  const HandleTransform& now = transforms_[handle];
  const std::array one{handle};
  carry(one, turn, now.rotation * handles_[handle].position + now.translation, shift);
}

void Pose::carry(std::span<const int> handles, const Quat& turn, const Vec3& pivot, const Vec3& shift) {
  for (const int handle : handles) {
    HandleTransform& now = transforms_[handle];
    now.rotation = (turn * now.rotation).normalized();
    now.translation = turn * (now.translation - pivot) + pivot + shift;
  }
}

Quat turn_about(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(radians(degrees), axis.normalized()));
}

}  // namespace crumple::generator
