#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/core/keyed.h"
#include "crumple/math/types.h"

namespace crumple {

/// Something that happens once: the first contact of bodies.
struct When {
  std::vector<std::string> contact;  // names or groups of bodies: the first touches the second, or anything if there is no second
  double impulse = 0;                // N s in one step, at least
  double delay = 0;                  // s
};

enum class ForceKind { Wind, Attractor, Gravity, Explosion };

/// A force field, or an explosion.
struct ForceDescription {
  std::string name;
  ForceKind kind = ForceKind::Wind;
  std::vector<std::string> bodies;  // names or groups; empty: all
  double start = 0;                 // s, from `when` if there is one
  std::optional<double> end;
  std::optional<When> when;
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> turn;
  std::optional<std::vector<double>> box;  // full sizes: where wind and gravity act, or what attracts
  std::optional<double> sphere;            // radius: where wind and gravity act
  Keyed<Vec3> velocity = Vec3(Vec3::Zero());
  Keyed<Vec3> gravity = Vec3(Vec3::Zero());
  Keyed<double> strength = 10;  // m/s^2 at `radius`
  double impulse = 200;         // Pa s, at the centre
  double radius = 1;            // m
  double falloff = 2;
  double core = 0.1;            // m
  std::optional<double> reach;  // m
  double drag = 1, air = 1.2;
  double gust = 0, gust_time = 1;
  int seed = 1;

  int line = 0;  // of the file it was read from, for messages
};

void describe(Fields& fields, When& when);
void describe(Fields& fields, ForceDescription& force);

}  // namespace crumple
