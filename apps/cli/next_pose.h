#pragma once

#include <string>

#include "crumple/rig/asset.h"

namespace crumple::cli {

/// A command that gives a fresh rig its first example: a handle near the top is pushed towards the middle, so far that nothing turns inside out.
std::string next_pose(const Asset& asset, const std::string& file);

}  // namespace crumple::cli
