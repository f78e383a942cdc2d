#pragma once

#include <optional>
#include <vector>

#include "crumple/geometry/sample.h"
#include "crumple/math/types.h"
#include "crumple/particles/boundary.h"

namespace crumple {
class Fields;
}

namespace crumple::particles {

/// A factor on a property of the material along a line, or around a point, of the body's frame.
struct PaintStroke {
  enum class Map { Toughness, Yield, Stiffness, Flow };
  Map map = Map::Toughness;
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> to;  // other end of a line
  double radius = 0.1;     // m
  double value = 1;
  double soft = 0;  // m: width of the fade beyond the radius
};

/// A region that is filled with another spacing.
struct FinerRegion {
  Region within;        // in the body's own frame
  double spacing = 0;   // m
};

/// How a surface is filled with particles.
struct FillSettings {
  SampleKind sampling = SampleKind::BlueNoise;
  int particles = 5000;           // target number
  std::optional<double> spacing;  // m, instead of the number
  int sampling_seed = 1;
  std::vector<PaintStroke> paint;
  std::vector<FinerRegion> regions;  // the last one that holds a place counts
  Vec3 prestretch = Vec3::Ones();    // start shape relative to the rest shape
};

void describe(Fields& fields, PaintStroke& stroke);
void describe(Fields& fields, FinerRegion& region);
void describe(Fields& fields, FillSettings& fill);

}  // namespace crumple::particles
