#pragma once

#include <string>

#include "crumple/core/json.h"

namespace crumple {

/// Applies one "--set" to a scene document: "/bodies/drum 1/examples/yield=2". A step of the path is a key, an index, or the name of
/// an element; one of a body's places may be named too (the body is then written out). Keys that are missing are made.
Result<void> apply_change(Json& document, const std::string& change);

}  // namespace crumple
