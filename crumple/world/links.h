#pragma once

#include "crumple/world/state.h"

/// Joints of the scene, and links of bodies as parts and joints of the engine.
namespace crumple {

/// Slots for the scene's own joints and for those of bonds. Bodies are at their start.
void build_joints(WorldState& w);

/// After the rigid step: reads the state of plastic joints, and those that broke. Parts that a broken joint held may keep their current overlap, and
/// collide from then on.
void read_joints(WorldState& w);

/// Connected pieces that touch at rest do not collide. Once separated they do, with their overlap at that time allowed. Pairs joined directly are
/// handled by the engine.
void ignore_neighbours(WorldState& w, int body);

/// Welds that broke or became joints leave groups of pieces: each becomes a rigid part of its own. New welds make one part of several. Unchanged groups
/// keep their part.
void regroup_parts(WorldState& w, int body);

/// A weld that becomes a joint does so where its pieces are now, unstrained.
void place_hinge(const WorldState& w, JointSlot& joint);

/// Whether a joint's slot waits for its link, which is still welded.
bool is_welded(const WorldState& w, const JointSlot& joint);

/// The histories of all elastic-plastic joints: the scene's own, then those of bonds, in order.
std::vector<JointReport> joint_reports(const WorldState& w);

}  // namespace crumple
