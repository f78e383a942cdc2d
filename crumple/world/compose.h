#pragma once

#include "crumple/world/state.h"

/// Rigid bodies that deform and break: from loads to shapes, and from shapes to the engine.
namespace crumple {

/// Layers step, all bodies in parallel; then shapes are composed and bonds step. Shapes are constant while layers step.
void step_rigid_bodies(WorldState& w);

/// Passes new shapes of one body to the engine.
void apply_shapes(WorldState& w, int index);

/// Passes new shapes, restitution and broken welds to the engine, in the order of the bodies. Returns whether any body may have changed.
bool apply_effects(WorldState& w);

}  // namespace crumple
