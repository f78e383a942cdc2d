#pragma once

#include "crumple/world/state.h"

/// Rigid bodies that change: loads become shapes, and shapes go back to the engine.
namespace crumple {

/// Layers step, all bodies at once; then shapes are put together and bonds step. Nobody's shape changes while layers step.
void step_rigid_bodies(WorldState& w);

/// New shapes, bounce and broken welds go to the engine, in the order of the bodies.
void apply_effects(WorldState& w);

}  // namespace crumple
