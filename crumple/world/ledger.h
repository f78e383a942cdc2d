#pragma once

#include "crumple/world/state.h"

/// The energy of the rigid bodies, and where it went.
namespace crumple {

/// Kinetic and potential energy of all dynamic parts now, J.
struct RigidEnergy {
  double kinetic = 0, potential = 0;
  double sum() const { return kinetic + potential; }
};
RigidEnergy rigid_energy(const WorldState& w);
RigidEnergy rigid_energy(const WorldState& w, const Body& body);

/// Books the rigid step, its second solve included: before shapes and links change.
void book_step(WorldState& w);
/// Runs a stage and books what it did to the energy as one entry.
template <class Stage>
void book(WorldState& w, double EnergyLedger::* entry, const Stage& stage) {
  const double before = rigid_energy(w).sum();
  stage();
  w.report.energy.*entry += rigid_energy(w).sum() - before;
}
/// At the end of a step: the energy present.
void note_energy(WorldState& w);

}  // namespace crumple
