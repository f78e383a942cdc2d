#include "assets/generator/models.h"

#include "assets/generator/fields.h"
#include "crumple/geometry/isosurface.h"

#include <cmath>

namespace crumple::generator {
namespace {

// A round bird that looks along +z, built around the middle of its trunk and then centred.
const Vec3 kMiddle(0, 0.0395, -0.011);

Vec3 folded(const Vec3& p) {
  return {std::abs(p.x()), p.y(), p.z()};
}

double trunk(const Vec3& p) {
  return blend(ellipsoid(p, {0, 0, 0}, {0.2, 0.195, 0.205}), ellipsoid(p, {0, 0.09, 0.04}, {0.14, 0.13, 0.14}), 0.08);
}
double crest(const Vec3& p) {
  const double front = limb(p, {0, 0.19, 0.02}, {0, 0.285, -0.02}, 0.035, 0.012), back = limb(p, {0, 0.18, -0.03}, {0, 0.25, -0.11}, 0.032, 0.012);
  return blend(front, back, 0.02);
}
double tail(const Vec3& p) {
  return blend(limb(p, {0, 0.02, -0.17}, {0, 0.1, -0.29}, 0.04, 0.022), limb(p, {0.02, 0.0, -0.17}, {0.055, 0.045, -0.29}, 0.036, 0.02), 0.02);
}
double wing(const Vec3& p) {
  return ellipsoid(p, {0.185, -0.01, -0.045}, {0.05, 0.075, 0.11});
}
double feet(const Vec3& p) {
  return ellipsoid(p, {0.075, -0.19, 0.06}, {0.04, 0.028, 0.07});
}
double beak(const Vec3& p) {
  return blend(limb(p, {0, 0.03, 0.19}, {0, 0.005, 0.275}, 0.048, 0.014), limb(p, {0, -0.015, 0.19}, {0, -0.015, 0.235}, 0.036, 0.018), 0.012);
}
double eye(const Vec3& p) {
  return ball(p, {0.07, 0.095, 0.155}, 0.036);
}
double body(const Vec3& p) {
  const double feathers = blend(blend(trunk(p), crest(p), 0.03), blend(tail(p), wing(p), 0.02), 0.025);
  return std::min(blend(blend(feathers, feet(p), 0.02), beak(p), 0.01), eye(p));
}

Vec3f color_at(const Vec3& p) {
  const Vec3f coat(0.03f, 0.22f, 0.34f), belly(0.75f, 0.66f, 0.5f), horn(0.85f, 0.36f, 0.02f), white(0.85f, 0.85f, 0.83f), black(0.012f, 0.01f, 0.01f), dark(0.015f, 0.09f, 0.15f);
  Vec3f color = paint_where(ellipsoid(p, {0, -0.07, 0.12}, {0.14, 0.15, 0.13}), 0.02, belly, coat);
  color = paint_where(std::min(tail(p), wing(p)) - 0.004, 0.01, dark, color);
  color = paint_where(std::min(beak(p), feet(p)) - 0.003, 0.006, horn, color);
  color = paint_where(eye(p) - 0.002, 0.004, white, color);
  return paint_where(ball(p, {0.066, 0.098, 0.189}, 0.017), 0.004, black, color);
}

}  // namespace

Result<TriMesh> bird_model() {
  const auto place = [](const Vec3& p) { return folded(p + kMiddle); };
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.26, -0.28, -0.33), Vec3(0.26, 0.28, 0.33)};
  settings.cell = 0.0085, settings.relax = 12;
  Result<TriMesh> mesh = isosurface([&](const Vec3& p) { return body(place(p)); }, settings);
  if (!mesh) return mesh;
  for (const Vec3& p : mesh->positions) mesh->colors.push_back(color_at(place(p)));
  return mesh;
}

}  // namespace crumple::generator
