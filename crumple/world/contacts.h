#pragma once

#include "crumple/world/state.h"

/// Contacts of the step, sorted by body.
namespace crumple {

/// Contact by index: those of the engine first, then those of matter.
const rigid::Contact& contact(const WorldState& w, int index);

/// Collects the contacts of each body that can deform or break.
void route_contacts(WorldState& w);

/// What touched the body, contacts of a pair of parts together.
void gather_touching(WorldState& w, int body);
/// Contacts of the pairs that some layer wants, in the body's rest frame.
void gather_hits(WorldState& w, int body);

/// Shapes of what hit it, where a layer wants them.
void gather_others(WorldState& w, int body);

/// All contacts and joints, however weak, as loads on the links of a body.
void gather_piece_loads(WorldState& w, int body);

}  // namespace crumple
