#pragma once

#include "crumple/world/state.h"

/// The second phase of a step [thesis 5.2.3, 5.2.4]: an impact feels the damage it does.
namespace crumple {

/// Where hits have softened a body or broken its links, the islands concerned are solved again from the state before the step: with the new
/// restitution, without the links, and with the impulses that these bore until they broke.
void solve_again(WorldState& w);

}  // namespace crumple
