#include "crumple/world/ledger.h"

#include <algorithm>

namespace crumple {
namespace {

bool has_yielded_to(const WorldState& w, int body, int other) {
  const std::vector<int>& yielded = w.work[static_cast<size_t>(body)].yielded_to;
  return std::find(yielded.begin(), yielded.end(), other) != yielded.end();
}

/// What contacts took while a body yielded to them is damage; two bodies that yield to each other share it.
void book_damage(WorldState& w) {
  for (const rigid::Contact& contact : w.loads.contacts) {
    if (contact.work >= 0) continue;
    const int a = w.owner_of_part[static_cast<size_t>(contact.part_a)].first, b = w.owner_of_part[static_cast<size_t>(contact.part_b)].first;
    const bool yields_a = has_yielded_to(w, a, b), yields_b = has_yielded_to(w, b, a);
    if (!yields_a && !yields_b) continue;
    const double share = yields_a && yields_b ? 0.5 : 1.0;
    if (yields_a) w.report.damage_work[static_cast<size_t>(a)] -= share * contact.work;
    if (yields_b) w.report.damage_work[static_cast<size_t>(b)] -= share * contact.work;
    w.report.energy.contact -= contact.work, w.report.energy.damage += contact.work;
  }
}

/// What links bore until they broke has worked on their pieces.
void book_breaks(WorldState& w) {
  for (const int index : w.busy) {
    const double work = w.work[static_cast<size_t>(index)].link_work;
    w.report.damage_work[static_cast<size_t>(index)] -= work;
    w.report.energy.joints -= work, w.report.energy.damage += work;
  }
}

}  // namespace

RigidEnergy rigid_energy(const WorldState& w, const Body& body) {
  RigidEnergy sum;
  if (body.matter || !body.is_present()) return sum;
  for (const Part& part : body.parts) sum.kinetic += w.rigid.kinetic_energy(part.index), sum.potential += w.rigid.potential_energy(part.index);
  return sum;
}

RigidEnergy rigid_energy(const WorldState& w) {
  RigidEnergy sum;
  for (const Body& body : w.bodies) {
    const RigidEnergy of = rigid_energy(w, body);
    sum.kinetic += of.kinetic, sum.potential += of.potential;
  }
  return sum;
}

void book_step(WorldState& w) {
  const rigid::EnergyChange change = w.rigid.energy_change();
  EnergyLedger& energy = w.report.energy;
  energy.contact += change.contact + change.overlap;
  energy.friction += change.friction;
  energy.joints += change.joints;
  energy.scripted += change.scripted;
  energy.forces += change.pushes;
  energy.damping += change.damping;
  energy.integration += change.integration;
  energy.matter += change.later;
  energy.put_in += std::max(0.0, change.scripted) + std::max(0.0, change.pushes);
  book_damage(w);
  book_breaks(w);
}

void note_energy(WorldState& w, const RigidEnergy& now) {
  EnergyLedger& energy = w.report.energy;
  energy.kinetic = now.kinetic, energy.potential = now.potential;
  energy.highest = std::max(energy.highest, now.sum());
  energy.lowest_potential = std::min(energy.lowest_potential, now.potential);
}

}  // namespace crumple
