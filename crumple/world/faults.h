#pragma once

#include <string>

#include "crumple/world/state.h"

namespace crumple {

/// After the rigid step: bodies with a non-finite or runaway motion return to their last good state and are frozen there.
void put_back_runaways(WorldState& w);

void freeze_body(WorldState& w, int body, std::string why);

}  // namespace crumple
