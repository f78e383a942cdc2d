#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "crumple/methods/clusters/clusters.h"

namespace crumple::clusters {

/// Compact state of a recorded frame, enough to draw it. Memberships are differences from the initial ones, and change only at tears. Positions are
/// displacements from the start in steps of a quantum, so that a body that has not moved is drawn exactly.
struct Recorded {
  struct Particle {
    int32_t original = 0, entry_begin = 0, entry_count = 0;  // differences, for initial particles
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
  /// Changes only on a tear.
  struct Topology {
    std::vector<Particle> particles;         // #particles
    std::vector<int32_t> cluster;            // #slots, by entry: difference
    std::vector<int32_t> mass;               // #slots, by entry, in units: difference
    std::vector<std::array<float, 4>> ball;  // #clusters
    std::vector<Plane> planes;               // #planes
  };
  // Displacements in two parts: the coarse part of a slow particle is constant, and then compresses to nothing.
  std::vector<std::array<uint16_t, 3>> fine;   // #particles, quanta
  std::vector<std::array<int16_t, 3>> coarse;  // #particles, 65536 quanta
  std::vector<Shape> shapes;                   // #clusters
  Topology topology;
  Totals totals;

  Topology known;  // at the last conversion to a state
};

/// Quantum of recorded displacements.
double quantum(const Model& model);
/// Records a state.
void record(const Model& model, const State& state, Recorded& recorded);
std::vector<StateArray> arrays(Recorded& recorded);
/// Call before its arrays are overwritten.
void resize(const Model& model, Recorded& recorded, const Sizes& sizes);
/// Call after its arrays were overwritten: makes a state that can be drawn and measured, but not stepped. Fails if they do not fit this model.
Result<void> replayed(const Model& model, Recorded& recorded, State& state);

}  // namespace crumple::clusters
