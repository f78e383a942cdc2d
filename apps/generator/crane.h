#pragma once

#include "apps/generator/author.h"

namespace crumple::generator {

/// A tower crane, about the origin, its jib along +x.
Result<Asset> make_crane();

Design crane_design();

TriMesh crane_surface();

}  // namespace crumple::generator
