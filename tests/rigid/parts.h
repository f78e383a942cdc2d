#pragma once

#include <cstring>
#include <vector>

#include "crumple/rigid/world.h"

namespace crumple::rigid::testing {

inline constexpr double kStep = 1.0 / 240;  // s

inline PartSettings fixed_part(Shape shape, const Vec3& at = Vec3::Zero()) {
  PartSettings settings;
  settings.shape = std::move(shape);
  settings.motion = Motion::Static;
  settings.state.place.translation = at;
  return settings;
}

inline PartSettings ground_part() {
  return fixed_part(Plane{Vec3::UnitY(), 0});
}

/// A part with the mass and inertia of its shape.
inline PartSettings dynamic_part(const Shape& shape, double density, const Vec3& at) {
  const MassProperties properties = mass_properties(shape, density);
  PartSettings settings;
  settings.shape = shape;
  settings.mass = properties.mass;
  settings.inertia = properties.inertia;
  settings.state.place.translation = at;
  return settings;
}

inline std::vector<Vec3> box_corners(const Vec3& low, const Vec3& high) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) corners.emplace_back(i & 1 ? high.x() : low.x(), i & 2 ? high.y() : low.y(), i & 4 ? high.z() : low.z());
  return corners;
}

/// A box cut into two hulls along x, with the mass of the box.
inline PartSettings two_hull_box(const Vec3& size, double density, const Vec3& at) {
  Hulls hulls;
  hulls.points = {box_corners(-size / 2, Vec3(0, size.y() / 2, size.z() / 2)), box_corners(Vec3(0, -size.y() / 2, -size.z() / 2), size / 2)};
  PartSettings settings = dynamic_part(Box{size}, density, at);
  settings.shape = hulls;
  return settings;
}

inline void run(World& world, int steps, double dt, Loads& loads) {
  for (int i = 0; i < steps; ++i) world.step(dt, loads);
}

inline Mat3 turned(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

inline bool same_bits(const PartState& a, const PartState& b) {
  return std::memcmp(a.place.rotation.data(), b.place.rotation.data(), 9 * sizeof(double)) == 0 && a.place.translation == b.place.translation &&
         a.velocity == b.velocity && a.spin == b.spin && a.restitution == b.restitution && a.activation == b.activation && a.idle_time == b.idle_time;
}

}  // namespace crumple::rigid::testing
