#include "assets/generator/models.h"

#include "crumple/geometry/isosurface.h"

#include <cmath>

namespace crumple::generator {

Result<TriMesh> shell_model() {
  constexpr double kMiddle = 0.285, kHalfWall = 0.015;
  IsosurfaceSettings settings;
  settings.box = {Vec3::Constant(-0.31), Vec3::Constant(0.31)};
  settings.cell = 0.0181, settings.slope = 1, settings.relax = 30;
  return isosurface([](const Vec3& p) { return std::abs(p.norm() - kMiddle) - kHalfWall; }, settings);
}

}  // namespace crumple::generator
