#pragma once

#include <string>

#include "crumple/world/state.h"

namespace crumple {

/// After the rigid step: whoever is not finite any more, or flies off for no reason, goes back to where it was and stays there.
void put_back_runaways(WorldState& w);

void freeze_body(WorldState& w, int body, std::string why);

}  // namespace crumple
