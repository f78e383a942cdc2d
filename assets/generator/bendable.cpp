#include "assets/generator/models.h"

#include "assets/generator/fields.h"
#include "assets/generator/loft.h"
#include "crumple/geometry/isosurface.h"

#include <array>
#include <cmath>
#include <vector>

// Things that bend: rods that meet in balls, a road sign, a cage of reinforcing bars, a wooden figure.

namespace crumple::generator {
namespace {

const Vec3f kSteel(0.32f, 0.33f, 0.35f), kRust(0.24f, 0.11f, 0.055f), kBrass(0.55f, 0.36f, 0.12f);
const Vec3f kRed(0.55f, 0.012f, 0.015f), kWhite(0.82f, 0.82f, 0.80f), kGrey(0.42f, 0.43f, 0.44f), kConcrete(0.33f, 0.32f, 0.30f);
const Vec3f kWood(0.62f, 0.40f, 0.20f), kDarkWood(0.33f, 0.17f, 0.07f);

/// A round bar with rings along it, so that it can bend.
void add_rod(TriMesh& mesh, const Vec3& from, const Vec3& to, double radius, int sides, double spacing, const Vec3f& color) {
  const int steps = std::max(1, static_cast<int>(std::round((to - from).norm() / spacing)));
  std::vector<Vec3> line;
  for (int i = 0; i <= steps; ++i) line.push_back(from + (to - from) * i / steps);
  add_bar(mesh, line, radius, sides, color);
}

void add_ball(TriMesh& mesh, const Vec3& middle, double radius, const Vec3f& color) {
  add_spindle(mesh, middle - radius * Vec3::UnitX(), middle + radius * Vec3::UnitX(), radius, radius, 1, color, 7, 12);
}

Vec3 folded_side(const Vec3& p) {
  return {std::abs(p.x()), p.y(), p.z()};
}

// The figure stands on a disc, with its soles at y = 0 and its arms stretched out; then it is centred.
const Vec3 kFigureMiddle(0, 0.61, 0.01);

double figure_trunk(const Vec3& p) {
  const double chest = ellipsoid(p, {0, 0.88, 0}, {0.135, 0.13, 0.085}), belly = ellipsoid(p, {0, 0.745, 0}, {0.095, 0.085, 0.07});
  const double hips = ellipsoid(p, {0, 0.635, 0}, {0.125, 0.085, 0.085});
  return blend(blend(chest, belly, 0.02), hips, 0.02);
}
double figure_head(const Vec3& p) {
  const double neck = limb(p, {0, 0.98, 0}, {0, 1.06, 0}, 0.035, 0.032);
  return blend(neck, ellipsoid(p, {0, 1.135, 0.01}, {0.07, 0.095, 0.08}), 0.015);
}
double figure_arm(const Vec3& p) {
  const double shoulder = ball(p, {0.155, 0.93, 0}, 0.052), upper = limb(p, {0.17, 0.93, 0}, {0.34, 0.93, 0}, 0.042, 0.034);
  const double elbow = ball(p, {0.36, 0.93, 0}, 0.04), lower = limb(p, {0.375, 0.93, 0}, {0.53, 0.93, 0}, 0.034, 0.027);
  const double hand = ellipsoid(p, {0.595, 0.93, 0.004}, {0.058, 0.022, 0.038});
  return blend(blend(blend(shoulder, upper, 0.012), elbow, 0.008), blend(lower, hand, 0.012), 0.008);
}
double figure_leg(const Vec3& p) {
  const double hip = ball(p, {0.075, 0.575, 0}, 0.062), upper = limb(p, {0.078, 0.55, 0}, {0.082, 0.35, 0}, 0.058, 0.044);
  const double knee = ball(p, {0.083, 0.32, 0}, 0.05), lower = limb(p, {0.083, 0.29, 0}, {0.085, 0.085, 0}, 0.044, 0.033);
  const double foot = ellipsoid(p, {0.087, 0.035, 0.045}, {0.042, 0.035, 0.095});
  return blend(blend(blend(hip, upper, 0.012), knee, 0.01), blend(lower, foot, 0.015), 0.01);
}
double figure_joints(const Vec3& p) {
  return std::min({ball(p, {0.155, 0.93, 0}, 0.054), ball(p, {0.36, 0.93, 0}, 0.042), ball(p, {0.083, 0.32, 0}, 0.052)});
}
double figure_stand(const Vec3& p) {
  constexpr double kRadius = 0.23, kHalf = 0.012, kRound = 0.008;
  const double out = std::hypot(p.x(), p.z() - 0.04) - kRadius, up = std::abs(p.y() - kHalf) - kHalf;
  return std::hypot(std::max(out, 0.0), std::max(up, 0.0)) + std::min(std::max(out, up), 0.0) - kRound;
}
double whole_figure(const Vec3& p) {
  return std::min({blend(figure_stand(p), figure_leg(p), 0.01), blend(figure_trunk(p), figure_head(p), 0.012), blend(figure_arm(p), figure_trunk(p), 0.012), blend(figure_leg(p), figure_trunk(p), 0.012)});
}

}  // namespace

TriMesh jack_model() {
  constexpr double kEdge = 0.5;
  const double half = kEdge / std::sqrt(8.0);
  const std::array<Vec3, 4> corners = {Vec3(half, half, half), Vec3(half, -half, -half), Vec3(-half, half, -half), Vec3(-half, -half, half)};
  TriMesh mesh;
  for (size_t i = 0; i < corners.size(); ++i) {
    for (size_t j = i + 1; j < corners.size(); ++j) add_rod(mesh, corners[i], corners[j], 0.024, 8, 0.042, kSteel);
  }
  for (const Vec3& corner : corners) add_ball(mesh, corner, 0.062, kBrass);
  return mesh;
}

TriMesh sign_model() {
  TriMesh mesh;
  add_rod(mesh, {0, -1.3, 0}, {0, 1.28, 0}, 0.038, 12, 0.05, kGrey);
  add_cone(mesh, {0, -1.3, 0}, {0, -1.16, 0}, 0.3, 0.26, 28, kConcrete);
  const auto disc = [&](double y, double radius, double thickness, const Vec3f& color) {
    add_cone(mesh, {0, y, 0.034 - thickness / 2}, {0, y, 0.034 + thickness / 2}, radius, radius, 36, color);
  };
  disc(0.94, 0.36, 0.04, kRed), disc(0.94, 0.28, 0.046, kWhite);
  return mesh;
}

TriMesh cage_model() {
  TriMesh mesh;
  constexpr double kHalf = 0.25;
  for (const double x : {-kHalf, kHalf}) {
    for (const double z : {-kHalf, kHalf}) add_rod(mesh, {x, -0.9, z}, {x, 0.9, z}, 0.022, 8, 0.045, kRust);
  }
  for (const double y : {-0.6, 0.0, 0.6}) {
    const std::array<Vec3, 4> ring = {Vec3(-kHalf, y, -kHalf), Vec3(kHalf, y, -kHalf), Vec3(kHalf, y, kHalf), Vec3(-kHalf, y, kHalf)};
    for (size_t i = 0; i < 4; ++i) add_rod(mesh, ring[i], ring[(i + 1) % 4], 0.018, 8, 0.045, kRust);
  }
  return mesh;
}

Result<TriMesh> mannequin_model() {
  const auto place = [](const Vec3& p) { return folded_side(p + kFigureMiddle); };
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.7, -0.66, -0.24), Vec3(0.7, 0.66, 0.31)};
  settings.cell = 0.013, settings.relax = 12;
  Result<TriMesh> mesh = isosurface([&](const Vec3& p) { return whole_figure(place(p)); }, settings);
  if (!mesh) return mesh;
  for (const Vec3& p : mesh->positions) mesh->colors.push_back(paint_where(figure_joints(place(p)), 0.008, kDarkWood, kWood));
  return mesh;
}

}  // namespace crumple::generator
