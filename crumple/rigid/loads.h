#pragma once

#include <vector>

#include "crumple/math/types.h"

namespace crumple::rigid {

/// One contact point that carried an impulse in the last step.
struct Contact {
  int part_a, part_b;      // as returned by World::add_part
  int hull_a, hull_b;      // child of a compound, or -1
  Vec3 local_a, local_b;   // where it touched, in each part's frame
  Vec3 normal;             // world, points from b to a: the impulse on a is +impulse * normal
  double impulse;          // N s, >= 0
  Vec3 friction;           // N s on a, world
  double distance;         // m, negative where shapes overlap
};

/// What a joint carried in the last step, summed over its rows.
struct JointLoad {
  int joint;
  double impulse;  // N s
};

/// What the engine tells the layers after a step. Contacts are in the engine's deterministic order; sleeping parts have none.
struct Loads {
  std::vector<Contact> contacts;
  std::vector<JointLoad> joints;
};

}  // namespace crumple::rigid
