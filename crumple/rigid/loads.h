#pragma once

#include <vector>

#include "crumple/math/types.h"

namespace crumple::rigid {

/// One contact point that pushed in the last step. A point that lifted off in it may have rubbed without pushing; those are left out.
struct Contact {
  int part_a, part_b;     // as returned by World::add_part
  int hull_a, hull_b;     // child of a compound, or -1
  Vec3 local_a, local_b;  // where it touched, in each part's frame
  Vec3 normal;            // world, points from b to a: the impulse on a is +impulse * normal
  double impulse;         // N s, > 0
  Vec3 friction;          // N s on a, world
  double distance;        // m, negative where shapes overlap
  double work;            // J that the impulse did on both parts, below 0: lost; friction aside
};

/// What a joint carried in the last step, limits and motor included.
struct JointLoad {
  int joint;
  double impulse;  // N s: length of the impulse on part_a (force times dt)
  double twist;    // N m s: length of the angular impulse on part_a about the joint's point
  Vec3 push;       // N s on part_a, world; part_b gets the opposite
  Vec3 turn;       // N m s on part_a about the joint's point, world
  Vec3 at;         // the joint's point, world
  double work;     // J that it did on both parts, below 0: lost or stored
};

/// An elastic-plastic joint gave way in the last step.
struct JointBreak {
  int joint;
  int part_a, part_b;  // part_b -1: the world
};

/// What the engine tells the layers after a step. Contacts are in the engine's deterministic order; what
/// sleeps carries nothing.
struct Loads {
  std::vector<Contact> contacts;
  std::vector<JointLoad> joints;
  std::vector<JointBreak> breaks;  // the joints are gone already
};

}  // namespace crumple::rigid
