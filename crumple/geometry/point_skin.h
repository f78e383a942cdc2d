#pragma once

#include <span>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple {

/// Lengths are in spacings.
struct SkinSettings {
  double spacing = 0;  // metres between neighbours; 0: measured
  /// How far outside of the outermost points the skin lies. Sheets and threads that are one point thick get half a spacing whatever is said here.
  double offset = 0.3;
  /// Gaps between points that a ball of this radius cannot enter are filled, and inner corners are rounded by it.
  double gap = 2;
  double cell = 0.7;               // sides of the triangles; 0.55 at most if the cloud is one point thick
  bool flatten = true;             // level what single points do to the skin, but keep edges
  double volume = 0;               // m^3 that the skin should enclose, within what 0.4 spacings do; 0: what it does
  size_t most_samples = 20000000;  // of a field around the points; larger clouds are refused
};

/// A closed surface around a cloud of points: where a ball that rolls over it from outside (and in hollows) cannot go, less its radius. [Edelsbrunner
/// and Muecke 1994 have the same with plain triangles between the points.] Then levelled: normals become the mean of those around them that are
/// alike, and vertices follow [Zheng et al. 2011], so that flat sides are flat and edges are edges again. The same for any number of threads.
Result<TriMesh> skin_of_points(std::span<const Vec3> points, const SkinSettings& settings = {});

}  // namespace crumple
