#pragma once

#include "crumple/core/result.h"
#include "crumple/rig/asset.h"

namespace crumple::generator {

/// A tower crane, about the origin, its jib along +x.
Result<Asset> make_crane();

TriMesh crane_surface();

}  // namespace crumple::generator
