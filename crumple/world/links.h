#pragma once

#include "crumple/world/state.h"

/// Joints of the scene, and links of bodies as parts and joints of the engine.
namespace crumple {

/// Slots for the scene's own joints and for those of bonds. Bodies are at their start.
void build_joints(WorldState& w);

/// After the rigid step: what plastic joints have done, and those that broke. What they held together may overlap as deep as it does now, and collides
/// from then on.
void read_joints(WorldState& w);

/// Pieces that touch at rest and hang together do not collide; once they have come apart they do, as deep as they overlap then. Those that are joined
/// are the engine's business.
void ignore_neighbours(WorldState& w, int body);

/// Broken welds leave groups of pieces: each becomes a rigid part of its own. Groups that have not changed stay the part they were.
void split(WorldState& w, int body);

/// The histories of all elastic-plastic joints: the scene's own, then those of bonds, in order.
std::vector<JointReport> joint_reports(const WorldState& w);

}  // namespace crumple
