#include "crumple/rigid/shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "crumple/geometry/mass.h"
#include "crumple/rigid/convex_hull.h"

namespace crumple::rigid {
namespace {

constexpr double kPi = std::numbers::pi;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

MassProperties of_box(const Box& box, double density) {
  MassProperties result;
  result.mass = density * box.size.prod();
  const Vec3 squared = box.size.cwiseAbs2();
  result.inertia = result.mass / 12 * Vec3(squared.y() + squared.z(), squared.x() + squared.z(), squared.x() + squared.y());
  return result;
}

MassProperties of_sphere(const Sphere& sphere, double density) {
  MassProperties result;
  result.mass = density * 4.0 / 3.0 * kPi * std::pow(sphere.radius, 3);
  result.inertia = Vec3::Constant(0.4 * result.mass * sphere.radius * sphere.radius);
  return result;
}

MassProperties of_cylinder(const Cylinder& cylinder, double density) {
  const double squared = cylinder.radius * cylinder.radius;
  MassProperties result;
  result.mass = density * kPi * squared * cylinder.height;
  const double across = result.mass * (3 * squared + cylinder.height * cylinder.height) / 12;
  result.inertia = Vec3(across, result.mass * squared / 2, across);
  return result;
}

MassProperties of_capsule(const Capsule& capsule, double density) {
  const double r = capsule.radius;
  const double straight = std::max(0.0, capsule.height - 2 * r);
  const double middle = density * kPi * r * r * straight;
  const double caps = density * 4.0 / 3.0 * kPi * r * r * r;  // both
  MassProperties result;
  result.mass = middle + caps;
  // A half ball's centre lies 3/8 r above its flat side: the caps' part is the ball's inertia moved out by that much.
  const double across = middle * (straight * straight / 12 + r * r / 4) + caps * (0.4 * r * r + straight * straight / 4 + 0.375 * r * straight);
  result.inertia = Vec3(across, middle * r * r / 2 + caps * 0.4 * r * r, across);
  return result;
}

/// Sums signed tetrahedra between the triangles and one common point.
MassProperties of_polyhedron(std::span<const Vec3> positions, std::span<const Triangle> triangles, double density) {
  MassProperties result;
  if (positions.empty()) return result;
  const Vec3 origin = positions[0];  // a point nearby keeps the sums small
  double volume = 0;
  Vec3 moment = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Triangle& t : triangles) {
    const Vec3 a = positions[t[0]] - origin, b = positions[t[1]] - origin, c = positions[t[2]] - origin;
    const double part = a.dot(b.cross(c)) / 6;
    const Vec3 sum = a + b + c;
    volume += part;
    moment += part / 4 * sum;
    second += part / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  if (!(volume > 0)) return result;
  const Vec3 center = moment / volume;
  const Mat3 spread = second - volume * center * center.transpose();
  const PrincipalFrame principal = principal_frame(density * (spread.trace() * Mat3::Identity() - spread), Mat3::Identity());
  result.mass = density * volume;
  result.center = origin + center;
  result.inertia = principal.moments;
  result.axes = principal.axes;
  return result;
}

MassProperties of_hulls(const Hulls& hulls, double density) {
  std::vector<Vec3> points;
  for (const auto& hull : hulls.points) points.insert(points.end(), hull.begin(), hull.end());
  return of_polyhedron(points, convex_hull(points).faces, density);
}

}  // namespace

double margin_for(double diagonal, double wanted) {
  return wanted == kUsualMargin ? std::min(wanted, 0.005 * diagonal) : wanted;
}

MassProperties mass_properties(const Shape& shape, double density) {
  return std::visit(Overloaded{
                        [&](const Box& box) { return of_box(box, density); },
                        [&](const Sphere& sphere) { return of_sphere(sphere, density); },
                        [&](const Cylinder& cylinder) { return of_cylinder(cylinder, density); },
                        [&](const Capsule& capsule) { return of_capsule(capsule, density); },
                        [&](const Hulls& hulls) { return of_hulls(hulls, density); },
                        [&](const Plane&) { return MassProperties{}; },
                        [&](const Triangles&) { return MassProperties{}; },
                    },
                    shape);
}

MassProperties mass_properties(const TriMesh& closed, double density) {
  return of_polyhedron(closed.positions, closed.triangles, density);
}

}  // namespace crumple::rigid
