#pragma once

#include "crumple/world/state.h"

namespace crumple {

/// Who is there, and what the script says, for the time now reached.
void control(WorldState& w);

}  // namespace crumple
