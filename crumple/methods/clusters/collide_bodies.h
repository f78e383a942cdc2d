#pragma once

#include "crumple/methods/clusters/rest_field.h"

namespace crumple::clusters {

/// A body that another one may touch.
struct Touchable {
  const Model& model;
  State& state;
  const RestField& field;
  bool is_fixed = false;  // it takes no impulse
};

/// Collides the particles of each of two bodies with the other's surface, after both have stepped: no approach, Coulomb friction, no bounce.
/// Momentum and angular momentum are conserved. Returns the sum of the contacts' impulses, N s; below zero without contacts.
float collide_bodies(const Touchable& a, const Touchable& b, double friction, double dt);
/// Whether the boxes around both are near enough for contacts.
bool may_touch(const Model& model_a, const State& a, const Model& model_b, const State& b);

}  // namespace crumple::clusters
