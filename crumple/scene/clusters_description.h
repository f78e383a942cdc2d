#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/geometry/frame.h"
#include "crumple/geometry/sample.h"
#include "crumple/methods/clusters/clusters.h"

namespace crumple {

/// Particles of a body that has no surface of its own: a text file of them, put somewhere in the body's frame.
struct ParticleFile {
  std::string file;
  double scale = 1;
  Vec3 at = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();  // beside the body's
};

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

/// Everything an artist says about a body that is made of clusters.
struct ClustersDescription {
  // how its surface is filled with particles
  SampleKind sampling = SampleKind::BlueNoise;
  int particles = 5000;           // about so many
  std::optional<double> spacing;  // m, instead of a number
  int sampling_seed = 1;
  std::vector<PaintStroke> paint;
  Vec3 prestretch = Vec3::Ones();  // of where it begins, beside where it rests
  // the method
  clusters::Settings settings;
  // what directs it, in the world
  particles::Boundary boundary;
  // how it looks where it is torn
  std::optional<Look> inner;  // absent: a rougher, lighter kind of the body's own look
};

void describe(Fields& fields, Look& look);
void describe(Fields& fields, ParticleFile& file);
void describe(Fields& fields, PaintStroke& stroke);
/// All keys lie side by side: those of the method among the others.
void describe(Fields& fields, ClustersDescription& clusters);

}  // namespace crumple
