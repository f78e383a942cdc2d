#include "crumple/methods/clusters/stages.h"

namespace crumple::clusters {
namespace {

/// Clusters with members on both sides of a clamp's edge.
void tie(State& state) {
  for (size_t c = 0; c < state.slot_begin.size(); ++c) {
    bool held = false, free = false;
    for (int32_t s = state.slot_begin[c]; s < state.slot_begin[c] + state.slot_count[c]; ++s) {
      (state.held[static_cast<size_t>(state.slot_particle[static_cast<size_t>(s)])] >= 0 ? held : free) = true;
    }
    state.tied[c] = held && free ? 1 : 0;
  }
}

}  // namespace

particles::ParticleSpan particles(const Model& model, State& state) {
  return {model.origin, model.unit, model.spacing, state.positions, state.velocities, state.mass, state.held, state.entry_count};
}

particles::StartPlaces starts(const Model& model) {
  return {model.origin, model.rest};
}

void hold(const Model& model, State& state, const Context& now) {
  static const particles::Boundary kNone;
  particles::Held held{state.clamps, state.held};
  if (particles::hold(now.boundary ? *now.boundary : kNone, starts(model), state.original, state.time, held, state.positions)) tie(state);
}

void carry(const Model& model, State& state, const Context& now) {
  if (now.boundary && state.clamps != 0) particles::carry(*now.boundary, particles(model, state), state.time, now.dt);
}

void collide_boundary(const Model& model, State& state, const Context& now) {
  if (now.boundary) particles::collide_boundary(*now.boundary, particles(model, state), state.time, now.dt);
}

}  // namespace crumple::clusters
