#pragma once

#include "crumple/world/state.h"

/// Adds parts and joints to the rigid world and removes them. The order of calls affects the last bits of the result.
namespace crumple {

void add_part(WorldState& w, int body, int part);
void add_parts(WorldState& w, int body);
void remove_parts(WorldState& w, int body);
void add_joints(WorldState& w);
void add_joints(WorldState& w, int body);  // of one body

/// At a checkpoint: rebuilds the rigid world from its current state, so that a run continued from there is identical to the last bit.
void rebuild(WorldState& w);
/// Builds the rigid world from the parts' states.
void build_rigid_world(WorldState& w);

/// Allows the overlaps of a body that appears, so that it is not pushed out and torn from its supports: a post may stand in the ground, a rail in
/// its deck, a tube with its margin against a wall.
void allow_initial_overlap(WorldState& w, const Body& body);

/// Allowed overlaps of a body's parts; an overlap between two bodies is listed for both.
std::vector<BodyOverlap> overlaps_of(const WorldState& w, int body);
void allow_overlaps(WorldState& w, int body, std::span<const BodyOverlap> overlaps);

/// World place of a part's rest frame, and of that of a piece.
Transform place_of(const WorldState& w, const Part& part);
Transform place_of_piece(const WorldState& w, const Body& body, int piece);
std::vector<Transform> places_of_pieces(const WorldState& w, const Body& body);
rigid::World::StructureHealth health_of(const WorldState& w);

}  // namespace crumple
