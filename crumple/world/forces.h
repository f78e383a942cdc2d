#pragma once

#include "crumple/world/state.h"

/// Wind, attractors, gravity of regions and explosions.
namespace crumple {

/// Notes which bodies each force acts on.
void prepare_forces(WorldState& w);
/// Gravity for the time now reached, and forces on rigid parts for the next step.
void push_rigid_bodies(WorldState& w);
/// Parts into which a body has been divided, while a step is solved again, share what the whole felt.
void push_again(WorldState& w, int body);
/// Forces on bodies of matter, as changes of velocity at the end of their step.
void push_matter(WorldState& w);
/// What explosions have done to bodies that can be damaged becomes contacts of the step.
void add_blast_contacts(WorldState& w);
/// How fast the air came with which a contact was made in this way, against the part; nothing if it was no explosion.
std::optional<Vec3> speed_of_air(const WorldState& w, const rigid::Contact& contact, const Part& part);

}  // namespace crumple
