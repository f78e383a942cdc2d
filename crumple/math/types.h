#pragma once

#include <array>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace crumple {

using Vec2 = Eigen::Vector2d;
using Vec2f = Eigen::Vector2f;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// [v]x, so that [v]x w = v x w.
inline Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

using Triangle = std::array<int, 3>;
using Tetrahedron = std::array<int, 4>;

/// A rigid placement. The rotation is a matrix because a checkpoint must restore the engine's own numbers bit for bit.
struct Transform {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();

  Vec3 operator*(const Vec3& point) const { return rotation * point + translation; }
  Transform operator*(const Transform& other) const { return {rotation * other.rotation, rotation * other.translation + translation}; }
  Transform inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

}  // namespace crumple
