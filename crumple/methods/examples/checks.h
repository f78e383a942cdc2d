#pragma once

#include <string>
#include <vector>

#include "crumple/methods/examples/examples.h"

/// Examples that cannot act.
namespace crumple::examples {

/// What can be said before anything hits the body: examples that no hit can raise, and such as equal others.
std::vector<std::string> idle_examples(const Model& model);

/// Takes note of how far each example moves a vertex that was hit beyond the yield.
void note_hit(State& state, int vertex, std::span<const Vec3> jacobian, const Vec3& dx);

/// An example that never gained weight, although the body was hit beyond its yield.
struct Unused {
  std::string example, why;
};
std::vector<Unused> unused_examples(const Model& model, const State& state);

}  // namespace crumple::examples
