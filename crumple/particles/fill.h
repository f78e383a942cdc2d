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
  std::optional<Vec3> to;  // the line's other end
  double radius = 0.1;     // m
  double value = 1;
  double soft = 0;  // m, beyond the radius, over which it fades
};

/// How a surface is filled with particles.
struct FillSettings {
  SampleKind sampling = SampleKind::BlueNoise;
  int particles = 5000;           // about so many
  std::optional<double> spacing;  // m, instead of a number
  int sampling_seed = 1;
  std::vector<PaintStroke> paint;
  Vec3 prestretch = Vec3::Ones();  // of where it begins, beside where it rests
};

void describe(Fields& fields, PaintStroke& stroke);
void describe(Fields& fields, FillSettings& fill);

}  // namespace crumple::particles
