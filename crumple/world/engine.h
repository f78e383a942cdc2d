#pragma once

#include "crumple/world/state.h"

/// Parts and joints into the rigid world and out of it. The order of calls decides bits.
namespace crumple {

void add_part(WorldState& w, int body, int part);
void add_parts(WorldState& w, int body);
void remove_parts(WorldState& w, int body);
void add_joints(WorldState& w);

/// At a checkpoint: the rigid world anew from the state it is in, so that a run that continues from there takes the same way to the last bit.
void rebuild(WorldState& w);
/// The rigid world anew from the parts' states.
void build_rigid_world(WorldState& w);

/// What a body overlaps as it appears does not push it out and tear it from its supports: a post may stand in the ground, a rail in the deck that
/// bears it, a tube with its skin against a wall.
void allow_initial_overlap(WorldState& w, const Body& body);

/// Overlaps that were allowed with parts of a body; those with another body are found from either.
std::vector<BodyOverlap> overlaps_of(const WorldState& w, int body);
void allow_overlaps(WorldState& w, int body, std::span<const BodyOverlap> overlaps);

/// Where the rest frame of what a part carries is.
Transform place_of(const WorldState& w, const Part& part);
rigid::World::StructureHealth health_of(const WorldState& w);

}  // namespace crumple
