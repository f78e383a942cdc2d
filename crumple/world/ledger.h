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
/// The same if the energy before is known; returns that after. A stage that returns false has changed nothing.
template <class Stage>
RigidEnergy book(WorldState& w, double EnergyLedger::* entry, const RigidEnergy& before, const Stage& stage) {
  if (!stage()) return before;
  const RigidEnergy after = rigid_energy(w);
  w.report.energy.*entry += after.sum() - before.sum();
  return after;
}
/// At the end of a step: the energy present.
void note_energy(WorldState& w, const RigidEnergy& now);

}  // namespace crumple
