#pragma once

#include "crumple/rig/asset.h"

namespace crumple::generator {

/// A wall, 2.4 m along z, 2 m high and 16 cm thick, about the origin, that breaks into stones. It has no pose but rest.
Result<Asset> make_wall();

}  // namespace crumple::generator
