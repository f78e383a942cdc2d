#pragma once

#include <optional>
#include <vector>

#include "crumple/geometry/sample.h"
#include "crumple/math/types.h"

namespace crumple {
class Fields;
}

namespace crumple::particles {

/// A factor on toughness or yield along a line, or around a point, of the body's frame.
struct PaintStroke {
  enum class Map { Toughness, Yield };
  Map map = Map::Toughness;
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> to;  // other end of a line
  double radius = 0.1;     // m
  double value = 1;
  double soft = 0;  // m: width of the fade beyond the radius
};

/// How a surface is filled with particles.
struct FillSettings {
  SampleKind sampling = SampleKind::BlueNoise;
  int particles = 5000;           // target number
  std::optional<double> spacing;  // m, instead of the number
  int sampling_seed = 1;
  std::vector<PaintStroke> paint;
  Vec3 prestretch = Vec3::Ones();  // start shape relative to the rest shape
};

void describe(Fields& fields, PaintStroke& stroke);
void describe(Fields& fields, FillSettings& fill);

}  // namespace crumple::particles
