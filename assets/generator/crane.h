#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// A tower crane, about the origin, its jib along +x.
Result<Asset> make_crane();

TriMesh crane_surface();
/// Solid columns around its lattices, which are too thin for tetrahedra of their own.
TriMesh crane_solid();
std::vector<Handle> crane_handles();
std::vector<Sketch> crane_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
