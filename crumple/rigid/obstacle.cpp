#include "crumple/rigid/obstacle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "crumple/rigid/mesh_field.h"

namespace crumple::rigid {
namespace {

double ball_distance(double radius, const Vec3& point, Vec3& normal) {
  const double far = point.norm();
  normal = far > 0 ? Vec3(point / far) : Vec3::UnitY();
  return far - radius;
}

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

struct Nearest {
  double distance = -std::numeric_limits<double>::infinity();
  const Eigen::Vector4d* plane = nullptr;
};
Nearest nearest_plane(std::span<const Eigen::Vector4d> planes, const Vec3& point) {
  Nearest nearest;
  for (const Eigen::Vector4d& plane : planes) {
    const double distance = plane.head<3>().dot(point) - plane[3];
    if (distance > nearest.distance) nearest = {distance, &plane};
  }
  return nearest;
}

/// Outside at most the true distance. One leaves through the nearest plane that does not lie inside a neighbour.
double hull_distance(const ObstacleShape& shape, const Vec3& point, Vec3& normal) {
  const std::span<const Eigen::Vector4d> planes = shape.planes;
  const size_t outer = shape.inner < planes.size() ? planes.size() - shape.inner : planes.size();
  Nearest nearest = nearest_plane(planes.first(outer), point);
  const Nearest inner = nearest_plane(planes.subspan(outer), point);
  if (inner.distance > std::max(nearest.distance, 0.0)) nearest = inner;
  if (nearest.plane) normal = nearest.plane->head<3>();
  return nearest.distance;
}

}  // namespace

double signed_distance(const ObstacleShape& shape, const Vec3& point, Vec3& normal, double within) {
  switch (shape.kind) {
    case ObstacleShape::Kind::Ball:
      return ball_distance(shape.radius, point, normal);
    case ObstacleShape::Kind::Box:
      return box_distance(shape.half, point, normal);
    case ObstacleShape::Kind::Cylinder:
      return cylinder_distance(shape.radius, shape.half[1], point, normal);
    case ObstacleShape::Kind::Capsule:
      return ball_distance(shape.radius, point - Vec3(0, std::clamp(point[1], -shape.half[1], shape.half[1]), 0), normal);
    case ObstacleShape::Kind::Plane:
    case ObstacleShape::Kind::Hull:
      return hull_distance(shape, point, normal);
    case ObstacleShape::Kind::Mesh:
      return shape.mesh->distance(point, within, normal);
    case ObstacleShape::Kind::Field:
      return shape.distance(point, normal);
  }
  return std::numeric_limits<double>::infinity();
}

Bounds box_of(const ObstacleShape& shape) {
  const double r = shape.radius;
  switch (shape.kind) {
    case ObstacleShape::Kind::Ball:
    case ObstacleShape::Kind::Field:
      return {Vec3::Constant(-r), Vec3::Constant(r)};
    case ObstacleShape::Kind::Box:
      return {-shape.half, shape.half};
    case ObstacleShape::Kind::Cylinder:
      return {Vec3(-r, -shape.half[1], -r), Vec3(r, shape.half[1], r)};
    case ObstacleShape::Kind::Capsule:
      return {Vec3(-r, -shape.half[1] - r, -r), Vec3(r, shape.half[1] + r, r)};
    case ObstacleShape::Kind::Mesh:
      return shape.mesh->bounds();
    case ObstacleShape::Kind::Hull:
      return shape.box;
    case ObstacleShape::Kind::Plane:
      break;
  }
  return {};
}

double depth_of(const ObstacleShape& shape) {
  switch (shape.kind) {
    case ObstacleShape::Kind::Ball:
    case ObstacleShape::Kind::Capsule:
      return shape.radius;
    case ObstacleShape::Kind::Box:
      return shape.half.minCoeff();
    case ObstacleShape::Kind::Cylinder:
      return std::min(shape.radius, shape.half[1]);
    case ObstacleShape::Kind::Plane:
      return std::numeric_limits<double>::infinity();
    case ObstacleShape::Kind::Hull: {
      double least = std::numeric_limits<double>::infinity();
      const Vec3 middle = 0.5 * (shape.box.low + shape.box.high);
      for (const Eigen::Vector4d& plane : shape.planes) least = std::min(least, plane[3] - plane.head<3>().dot(middle));
      return shape.box.empty() ? 0 : std::max(least, 0.0);
    }
    case ObstacleShape::Kind::Mesh:
    case ObstacleShape::Kind::Field:
      break;
  }
  return 0;
}

}  // namespace crumple::rigid
