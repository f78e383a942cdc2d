#include "assets/generator/models.h"

#include "crumple/geometry/isosurface.h"

#include <cmath>

namespace crumple::generator {
namespace {

constexpr double kScale = 0.219;  // metres: from the formula's shape, which is 2.28 wide
constexpr double kRise = 0.154;   // of the formula's origin over the middle of the box, in its units
constexpr double kDull = 0.003;
const Vec3f kRed(0.55f, 0.012f, 0.02f);

/// Taubin 1994, his heart: (x^2 + 9/4 z^2 + y^2 - 1)^3 = x^2 y^3 + 9/80 z^2 y^3. As a cube root: evenly steep.
/// A little is added under it, so that notch and tip are not sharp.
double heart(const Vec3& place) {
  const Vec3 p = place / kScale + Vec3(0, kRise, 0);
  const double x2 = p.x() * p.x(), z2 = p.z() * p.z();
  return x2 + 2.25 * z2 + p.y() * p.y() - 1 - p.y() * std::cbrt(x2 + 0.1125 * z2 + kDull);
}

}  // namespace

Result<TriMesh> heart_model() {
  IsosurfaceSettings settings;
  settings.box = {Vec3(-0.3, -0.3, -0.2), Vec3(0.3, 0.3, 0.2)};
  settings.cell = 0.0105, settings.relax = 20;
  Result<TriMesh> mesh = isosurface([](const Vec3& p) { return heart(p); }, settings);
  if (mesh) mesh->colors.assign(mesh->positions.size(), kRed);
  return mesh;
}

}  // namespace crumple::generator
