#pragma once

#include "crumple/world/state.h"

namespace crumple {

/// Place of a body's rest frame that its animation gives at a time; without one, that of the scene.
Transform wanted_place(const WorldState& w, const Body& body, double time);

/// Adds and removes bodies, and applies their scripts, for the current time. Returns whether any body may have changed.
bool control(WorldState& w);

}  // namespace crumple
