#pragma once

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple::generator {

/// A sedan of the 1990s with four doors, about the origin, driving along +x.
Result<Asset> make_sedan();

TriMesh sedan_surface();

}  // namespace crumple::generator
