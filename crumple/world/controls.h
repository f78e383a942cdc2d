#pragma once

#include "crumple/world/state.h"

namespace crumple {

/// Adds and removes bodies, and applies their scripts, for the current time. Returns whether any body may have changed.
bool control(WorldState& w);

}  // namespace crumple
