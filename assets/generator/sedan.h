#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// A sedan of the 1990s with four doors, about the origin, driving along +x.
Result<Asset> make_sedan();

TriMesh sedan_surface();
std::vector<Handle> sedan_handles();
std::vector<Sketch> sedan_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
