#pragma once

#include <cstdint>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/geometry/thickness.h"

namespace crumple {

enum class SampleKind {
  BlueNoise,  ///< as irregular as it can be with no two points nearer than the spacing [Bridson 2007]
  Grid,       ///< a cubic grid with this spacing
  Bcc,        ///< the body-centred grid: every point has eight neighbours at this spacing
};

struct SampleSettings {
  SampleKind kind = SampleKind::BlueNoise;
  double spacing = 0;  // metres
  uint64_t seed = 1;   // of blue noise
  /// Blue noise begins with a layer of points on the surface. Without it no point is nearer to the surface than chance wants, and edges look eaten.
  bool hug = true;
  int attempts = 30;             // of blue noise, around each point, before it is left
  size_t most_points = 1000000;  // more are refused before they are made
  bool repair = true;            // let the doctor repair a copy of the surface first
};

/// Points inside a surface: where it winds around them, so small holes and overlapping shells are fine. The same points for the same settings
/// everywhere. Blue noise lists the layer on the surface first.
Result<std::vector<Vec3>> sample_inside(const TriMesh& surface, const SampleSettings& settings);

/// Blue noise on the surface itself, no two points nearer than the spacing (through the air). Each stands for the same area; normals point outward.
/// Open surfaces are welcome. `kind` and `hug` are not looked at.
Result<std::vector<SurfaceSample>> sample_on(const TriMesh& surface, const SampleSettings& settings);

/// The spacing of blue noise (with a layer on the surface) that gives about this many points inside a volume (m^3) within an area (m^2).
double spacing_for(double points, double volume, double area);

}  // namespace crumple
