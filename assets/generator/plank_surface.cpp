#include "assets/generator/facets.h"
#include "assets/generator/plank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace crumple::generator {
namespace {

constexpr double kRounding = 0.007;
constexpr int kLengths = 50;

struct Knot {
  double x, z, size;
};
constexpr std::array kKnots{Knot{-0.93, 0.045, 0.030}, Knot{0.38, -0.060, 0.022}, Knot{1.12, 0.075, 0.017}};

// How far a point is from the middle of the trunk, in metres: the board is cut along it, and the trunk bends around each knot.
double ring_of(const Vec3& point) {
  double across = point.z() + 0.012 * std::sin(1.3 * point.x() + 0.4) + 0.004 * std::sin(4.1 * point.x());
  for (const Knot& knot : kKnots) {
    const double dx = (point.x() - knot.x) / (6 * knot.size), dz = (point.z() - knot.z) / (1.6 * knot.size);
    across += 1.3 * knot.size * std::exp(-dx * dx - dz * dz) * (point.z() > knot.z ? 1 : -1) * std::min(1.0, std::abs(dz) * 3);
  }
  return std::hypot(across, 0.35 * point.y() - 0.075 - 0.010 * point.x());
}

// Early wood is pale, late wood dark, knots darkest.
Vec3f wood_at(const Vec3& point) {
  const Vec3f pale(0.50f, 0.30f, 0.135f), late(0.24f, 0.11f, 0.038f), knot_color(0.13f, 0.06f, 0.025f);
  const double rings = ring_of(point) / 0.0135;
  const double season = rings - std::floor(rings);
  const double fibre = 0.5 + 0.5 * std::sin(310 * point.z() + 90 * point.y() + 3 * std::sin(2.1 * point.x()));
  Vec3f color = pale + float(1.0 * season * season * season + 0.16 * fibre) * (late - pale);
  for (const Knot& knot : kKnots) {
    const double r = std::hypot((point.x() - knot.x) / 1.5, point.z() - knot.z) / knot.size;
    if (r < 1) color += float(std::min(1.0, 2.2 * (1 - r))) * (knot_color - color);
  }
  return color;
}

// The outline of the board across its length (z, y), counter-clockwise as seen against x. Fine enough across for the grain.
std::vector<std::array<double, 2>> plank_outline() {
  constexpr int kAcross = 30, kThick = 3, kRound = 3;
  const double z = kPlankSize.z() / 2 - kRounding, y = kPlankSize.y() / 2 - kRounding;
  const std::array<std::array<double, 2>, 4> corners{{{z, y}, {-z, y}, {-z, -y}, {z, -y}}};
  std::vector<std::array<double, 2>> outline;
  for (int corner = 0; corner < 4; ++corner) {
    for (int k = 0; k <= kRound; ++k) {
      const double angle = std::numbers::pi / 2 * (corner + double(k) / kRound);
      outline.push_back({corners[corner][0] + kRounding * std::cos(angle), corners[corner][1] + kRounding * std::sin(angle)});
    }
    const std::array<double, 2> from = outline.back();
    const double next_angle = std::numbers::pi / 2 * (corner + 1);
    const std::array<double, 2> to{corners[(corner + 1) % 4][0] + kRounding * std::cos(next_angle),
                                   corners[(corner + 1) % 4][1] + kRounding * std::sin(next_angle)};
    const int count = corner % 2 ? kThick : kAcross;
    for (int k = 1; k < count; ++k) outline.push_back({from[0] + (to[0] - from[0]) * k / count, from[1] + (to[1] - from[1]) * k / count});
  }
  return outline;
}

}  // namespace

TriMesh plank_surface() {
  TriMesh mesh;
  Facets facets(mesh);
  facets.patch(Vec3f::Ones());
  std::vector<Transform> path(kLengths + 1);
  for (int i = 0; i <= kLengths; ++i) {
    path[size_t(i)].rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // outlines are given in -z and y
    path[size_t(i)].translation = Vec3(kPlankSize.x() * (double(i) / kLengths - 0.5), 0, 0);
  }
  add_sweep(facets, path, plank_outline(), true);
  for (size_t i = 0; i < mesh.positions.size(); ++i) mesh.colors[i] = wood_at(mesh.positions[i]);
  return mesh;
}

}  // namespace crumple::generator
