#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/particles/fill.h"
#include "crumple/rig/paint.h"

namespace crumple::particles {

/// The particles of a body in its own frame, and the surface around them.
struct Cloud {
  std::vector<Vec3> points;
  std::vector<Vec3> velocities;         // #points or empty: added to the body's
  std::vector<float> toughness, yield, stiffness, flow;  // #points or empty: painted factors
  std::shared_ptr<const TriMesh> surface;
  double volume = 0;  // m^3
};

/// Fills a surface with particles, which take on its painted factors. Error messages begin with `where`.
Result<Cloud> fill_surface(std::shared_ptr<const TriMesh> surface, std::span<const PaintedMap> maps, const FillSettings& settings, const std::string& where);

/// Mean depth of the outermost points under a surface, over the six sides of both, m; no more than `most`.
double depth_under(std::span<const Vec3> surface, std::span<const Vec3> points, double most);

/// Wraps points in a surface.
Result<void> wrap_points(Cloud& cloud, const FillSettings& settings, const std::string& where);

/// Strokes override the paint of the surface, and each the strokes before it.
Result<void> paint(const FillSettings& settings, const std::string& where, Cloud& cloud);

}  // namespace crumple::particles
