#include <algorithm>
#include <cmath>
#include <limits>

#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {
namespace {

double box_distance(const Vec3& half, const Vec3& point, Vec3& normal) {
  const Vec3 over = point.cwiseAbs() - half;
  int axis = 0;
  const double most = over.maxCoeff(&axis);
  if (most <= 0) {
    normal = Vec3::Unit(axis) * (point[axis] < 0 ? -1.0 : 1.0);
    return most;
  }
  const Vec3 out = (point - point.cwiseMax(-half).cwiseMin(half));
  const double distance = out.norm();
  normal = out / distance;
  return distance;
}

double cylinder_distance(double radius, double half, const Vec3& point, Vec3& normal) {
  const double around = std::hypot(point[0], point[2]);
  const Vec3 side = around > 0 ? Vec3(point[0] / around, 0, point[2] / around) : Vec3::UnitX();
  const Vec3 end = Vec3::UnitY() * (point[1] < 0 ? -1.0 : 1.0);
  const double out = around - radius, above = std::abs(point[1]) - half;
  if (out > 0 && above > 0) {
    normal = (out * side + above * end).normalized();
    return std::hypot(out, above);
  }
  normal = out > above ? side : end;
  return std::max(out, above);
}

double hull_distance(std::span<const Eigen::Vector4d> planes, const Vec3& point, Vec3& normal) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Eigen::Vector4d& plane : planes) {
    const double distance = plane.head<3>().dot(point) - plane[3];
    if (distance > most) most = distance, normal = plane.head<3>();
  }
  return most;
}

/// A ball about the shape's frame that holds it; infinite if none does.
double bound(const RigidShape& shape) {
  switch (shape.kind) {
    case RigidShape::Kind::Ball:
    case RigidShape::Kind::Field:
      return shape.radius;
    case RigidShape::Kind::Box:
      return shape.half.norm();
    case RigidShape::Kind::Cylinder:
      return std::hypot(shape.radius, shape.half[1]);
    case RigidShape::Kind::Plane:
    case RigidShape::Kind::Hull:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

/// A part while its particles take turns with it.
struct Moving {
  Vec3 velocity, spin;
  Push push;
};

/// One over the mass that a push at `arm` meets in a direction.
double lightness(const RigidPart& part, double inverse_mass, const Vec3& arm, const Vec3& direction) {
  const Vec3 lever = arm.cross(direction);
  return inverse_mass + part.inverse_mass + lever.dot(part.inverse_inertia * lever);
}

/// The change of a particle's velocity by hitting the part: normal part first, friction by Coulomb's law.
Vec3 hit(const RigidPart& part, const Vec3& relative, const Vec3& normal, const Vec3& arm, double inverse_mass) {
  const double in = relative.dot(normal);
  if (in >= 0) return Vec3::Zero();
  const double impulse = -(1 + part.restitution) * in / lightness(part, inverse_mass, arm, normal);
  Vec3 total = impulse * normal;
  const Vec3 slide = relative - in * normal;
  const double speed = slide.norm();
  if (speed > 0) {
    const Vec3 along = slide / speed;
    total -= std::min(part.friction * impulse, speed / lightness(part, inverse_mass, arm, along)) * along;
  }
  return total * inverse_mass;
}

}  // namespace

double signed_distance(const RigidShape& shape, const Vec3& point, Vec3& normal) {
  switch (shape.kind) {
    case RigidShape::Kind::Ball: {
      const double far = point.norm();
      normal = far > 0 ? Vec3(point / far) : Vec3::UnitY();
      return far - shape.radius;
    }
    case RigidShape::Kind::Box:
      return box_distance(shape.half, point, normal);
    case RigidShape::Kind::Cylinder:
      return cylinder_distance(shape.radius, shape.half[1], point, normal);
    case RigidShape::Kind::Plane:
    case RigidShape::Kind::Hull:
      return hull_distance(shape.planes, point, normal);
    case RigidShape::Kind::Field:
      return shape.distance(point, normal);
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<Push> collide_parts(const Model& model, State& state, std::span<const RigidPart> parts) {
  std::vector<Push> pushes;
  for (const RigidPart& part : parts) {
    Moving moving{part.velocity, part.spin, {}};
    const double radius = bound(part.shape);
    const Vec3f center = (part.place.translation - model.origin).cast<float>();
    const float near2 = static_cast<float>(radius * radius * 1.0001 + 1e-12);
    for (size_t i = 0; i < state.positions.size(); ++i) {
      Vec4f& x = state.positions[i];
      if ((x.head<3>() - center).squaredNorm() > near2 || state.entry_count[i] == 0) continue;
      const Vec3 world = model.origin + x.head<3>().cast<double>();
      Vec3 normal;
      const double distance = signed_distance(part.shape, part.place.rotation.transpose() * (world - part.place.translation), normal);
      if (!(distance < 0)) continue;
      normal = part.place.rotation * normal;
      const bool held = state.held[i] >= 0;
      const double inverse_mass = held ? 0 : 1 / (model.unit * double(state.mass[i]));
      if (held && part.inverse_mass == 0) continue;
      const Vec3 touching = held ? world : Vec3(world - distance * normal), arm = touching - part.center;
      const Vec3 before = state.velocities[i].head<3>().cast<double>();
      const Vec3 relative = before - moving.velocity - moving.spin.cross(arm);
      ++moving.push.contacts;
      Vec3 impulse;  // on the part
      if (held) {
        // What is held does not give way: the part alone changes, as if it hit a wall.
        const double in = relative.dot(normal);
        impulse = in < 0 ? Vec3((1 + part.restitution) * in / lightness(part, 0, arm, normal) * normal) : Vec3::Zero();
      } else {
        x.head<3>() = (touching - model.origin).cast<float>();
        state.velocities[i].head<3>() = (before + hit(part, relative, normal, arm, inverse_mass)).cast<float>();
        // Of the velocities as they were rounded, so that nothing is lost between the two.
        impulse = (before - state.velocities[i].head<3>().cast<double>()) * (model.unit * double(state.mass[i]));
      }
      moving.push.impulse += impulse, moving.push.twist += arm.cross(impulse);
      moving.velocity += part.inverse_mass * impulse, moving.spin += part.inverse_inertia * arm.cross(impulse);
    }
    pushes.push_back(moving.push);
  }
  return pushes;
}

}  // namespace crumple::clusters
