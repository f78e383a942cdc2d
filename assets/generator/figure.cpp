#include "assets/generator/models.h"

#include "assets/generator/fields.h"
#include "crumple/geometry/isosurface.h"

#include <cmath>

namespace crumple::generator {
namespace {

// Built with its soles at y = 0, then centred.
const Vec3 kMiddle(0, 0.495, 0.029);
const Vec3f kFur(0.36f, 0.16f, 0.055f), kLight(0.72f, 0.47f, 0.25f), kDark(0.012f, 0.01f, 0.01f), kButton(0.55f, 0.015f, 0.015f);

/// The two sides are alike.
Vec3 folded(const Vec3& p) {
  return {std::abs(p.x()), p.y(), p.z()};
}

double head(const Vec3& p) {
  const double skull = ellipsoid(p, {0, 0.765, 0}, {0.185, 0.165, 0.155});
  const double ear = without(ellipsoid(p, {0.15, 0.915, -0.01}, {0.08, 0.08, 0.045}), ellipsoid(p, {0.155, 0.92, 0.045}, {0.05, 0.05, 0.035}), 0.015);
  return blend(blend(skull, ear, 0.03), ellipsoid(p, {0, 0.715, 0.135}, {0.08, 0.062, 0.065}), 0.03);
}
double trunk(const Vec3& p) {
  return blend(ellipsoid(p, {0, 0.40, 0}, {0.18, 0.215, 0.15}), ellipsoid(p, {0, 0.16, -0.02}, {0.13, 0.1, 0.11}), 0.05);
}
double arm(const Vec3& p) {
  return blend(limb(p, {0.1, 0.5, 0}, {0.35, 0.535, 0.01}, 0.062, 0.066), ball(p, {0.375, 0.54, 0.01}, 0.08), 0.03);
}
double leg(const Vec3& p) {
  return blend(limb(p, {0.09, 0.27, 0}, {0.135, 0.09, 0.02}, 0.09, 0.078), ellipsoid(p, {0.145, 0.078, 0.06}, {0.09, 0.08, 0.13}), 0.04);
}
double fur(const Vec3& p) {
  return blend(blend(blend(trunk(p), head(p), 0.03), arm(p), 0.05), leg(p), 0.05);
}
double eyes_and_nose(const Vec3& p) {
  return std::min(ball(p, {0.068, 0.805, 0.133}, 0.026), ellipsoid(p, {0, 0.742, 0.192}, {0.032, 0.023, 0.022}));
}
double buttons(const Vec3& p) {
  double nearest = 1;
  for (const auto& [y, z] : {std::pair{0.505, 0.132}, {0.42, 0.148}, {0.335, 0.143}})
    nearest = std::min(nearest, ellipsoid(p, {0, y, z}, {0.023, 0.023, 0.016}));
  return nearest;
}
double body(const Vec3& p) {
  return std::min({fur(p), eyes_and_nose(p), buttons(p)});
}

/// Parts of the fur that are lighter: muzzle, insides of the ears, soles, palms and belly.
double light(const Vec3& p) {
  return std::min({ellipsoid(p, {0, 0.715, 0.16}, {0.085, 0.066, 0.065}), ellipsoid(p, {0.155, 0.92, 0.045}, {0.052, 0.052, 0.045}),
                   ellipsoid(p, {0.145, 0.085, 0.19}, {0.06, 0.055, 0.03}), ball(p, {0.385, 0.54, 0.08}, 0.045),
                   ellipsoid(p, {0, 0.40, 0.14}, {0.12, 0.16, 0.07})});
}
Vec3f color(const Vec3& p) {
  constexpr double kSoft = 0.008;  // rather less than a cell: else borders are jagged
  const double at_fur = fur(p);
  if (eyes_and_nose(p) < std::min(at_fur, 1e-4)) return kDark;
  if (buttons(p) < std::min(at_fur, 1e-4)) return kButton;
  return paint_where(light(p), kSoft, kLight, kFur);
}

}  // namespace

Result<TriMesh> figure_model() {
  const auto place = [](const Vec3& p) { return folded(p + kMiddle); };
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.5, -0.55, -0.23), Vec3(0.5, 0.55, 0.23)};
  settings.cell = 0.0132, settings.relax = 12;
  Result<TriMesh> mesh = isosurface([&](const Vec3& p) { return body(place(p)); }, settings);
  if (mesh)
    for (const Vec3& p : mesh->positions) mesh->colors.push_back(color(place(p)));
  return mesh;
}

}  // namespace crumple::generator
