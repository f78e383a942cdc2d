#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {

/// What a recorded frame needs to be drawn, as small as it looks right. Memberships are kept as differences from how the body begins and change
/// only where something tears; where particles are, in steps of a quantum from where they began, so that a body that has not moved is drawn exactly.
struct Shown {
  struct Particle {
    int32_t original = 0, entry_begin = 0, entry_count = 0;  // of those that were there from the beginning: differences
  };
  struct Plane {
    std::array<float, 3> normal = {};
    float offset = 0;
    int32_t cluster = 0, crack = -1;
  };
  struct Shape {
    std::array<int16_t, 9> plastic = {};  // F^p - I
    std::array<int16_t, 4> rotation = {};
  };
  /// Changes when something tears.
  struct Topology {
    std::vector<Particle> particles;         // #particles
    std::vector<int32_t> cluster;            // #slots, by entry: difference
    std::vector<int32_t> mass;               // #slots, by entry, in units: difference
    std::vector<std::array<float, 4>> ball;  // #clusters
    std::vector<Plane> planes;               // #planes
  };
  // Displacements in two parts: the upper one stays the same for as long as a particle moves slowly, and then costs nothing.
  std::vector<std::array<uint16_t, 3>> fine;   // #particles, quanta
  std::vector<std::array<int16_t, 3>> coarse;  // #particles, 65536 quanta
  std::vector<Shape> shapes;                   // #clusters
  Topology topology;
  Totals totals;

  Topology known;  // as it was last turned back into a state
};

/// Displacements are recorded in steps of this.
double quantum(const Model& model);
/// Writes down what there is to see.
void show(const Model& model, const State& state, Shown& shown);
std::vector<StateArray> arrays(Shown& shown);
/// Before its arrays are overwritten.
void resize(const Model& model, Shown& shown, const Sizes& sizes);
/// Call after its arrays were overwritten: makes a state that can be drawn and asked, but not stepped. Fails if they cannot be of this model.
Result<void> shown_restored(const Model& model, Shown& shown, State& state);

}  // namespace crumple::clusters
