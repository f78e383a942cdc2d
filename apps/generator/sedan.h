#pragma once

#include "apps/generator/author.h"

namespace crumple::generator {

/// A sedan of the 1990s with four doors, about the origin, driving along +x.
Result<Asset> make_sedan();

Design sedan_design();

TriMesh sedan_surface();

}  // namespace crumple::generator
