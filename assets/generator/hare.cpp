#include "assets/generator/models.h"

#include "assets/generator/fields.h"
#include "crumple/geometry/isosurface.h"

#include <cmath>

namespace crumple::generator {
namespace {

// A hare that sits, its face along +z, built with its feet at y = 0 and then centred.
const Vec3 kMiddle(0, 0.2335, -0.017);

Vec3 folded(const Vec3& p) {
  return {std::abs(p.x()), p.y(), p.z()};
}

double head(const Vec3& p) {
  const double skull = blend(ellipsoid(p, {0, 0.265, 0.10}, {0.062, 0.06, 0.075}), ellipsoid(p, {0, 0.245, 0.155}, {0.038, 0.034, 0.038}), 0.03);
  const double ear = without(limb(p, {0.028, 0.31, 0.075}, {0.062, 0.445, 0.02}, 0.02, 0.024), limb(p, {0.032, 0.335, 0.105}, {0.066, 0.44, 0.05}, 0.012, 0.016), 0.012);
  const double cheek = ellipsoid(p, {0.028, 0.238, 0.15}, {0.026, 0.024, 0.024});
  return blend(blend(skull, cheek, 0.02), ear, 0.02);
}
double trunk(const Vec3& p) {
  const double back = blend(ellipsoid(p, {0, 0.135, -0.06}, {0.095, 0.115, 0.125}), ellipsoid(p, {0, 0.16, 0.05}, {0.072, 0.09, 0.075}), 0.06);
  return blend(back, ball(p, {0, 0.085, -0.19}, 0.038), 0.02);  // with its tail
}
double legs(const Vec3& p) {
  const double thigh = ellipsoid(p, {0.085, 0.085, -0.05}, {0.045, 0.075, 0.08});
  const double hind = ellipsoid(p, {0.085, 0.024, 0.02}, {0.03, 0.026, 0.085});
  const double fore = blend(limb(p, {0.045, 0.14, 0.09}, {0.048, 0.03, 0.115}, 0.03, 0.022), ellipsoid(p, {0.048, 0.022, 0.13}, {0.026, 0.022, 0.038}), 0.015);
  return blend(blend(thigh, hind, 0.03), fore, 0.01);
}
double eye(const Vec3& p) {
  return ball(p, {0.05, 0.283, 0.135}, 0.013);
}
double body(const Vec3& p) {
  return std::min(blend(blend(trunk(p), head(p), 0.03), legs(p), 0.025), eye(p));
}

}  // namespace

Result<TriMesh> hare_model() {
  const auto place = [](const Vec3& p) { return folded(p + kMiddle); };
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.16, -0.265, -0.243), Vec3(0.16, 0.265, 0.243)};
  settings.cell = 0.0062, settings.relax = 12;
  Result<TriMesh> mesh = isosurface([&](const Vec3& p) { return body(place(p)); }, settings);
  if (!mesh) return mesh;
  for (const Vec3& p : mesh->positions) {
    mesh->colors.push_back(eye(place(p)) < 1e-4 ? Vec3f(0.012f, 0.01f, 0.01f) : Vec3f(0.56f, 0.5f, 0.44f));
  }
  return mesh;
}

}  // namespace crumple::generator
