#pragma once

#include "crumple/world/state.h"

/// Contacts of the step as bodies see them.
namespace crumple {

/// Of the engine, then of matter.
const rigid::Contact& contact(const WorldState& w, int index);

/// Who was touched: for bodies that can change.
void route_contacts(WorldState& w);

/// Contacts strong enough for some layer, seen from the body's rest frame.
void gather_hits(WorldState& w, int body);

/// Every contact and every joint, however weak: what loads the links of a body.
void gather_piece_loads(WorldState& w, int body);

}  // namespace crumple
