#pragma once

#include "assets/generator/author.h"

#include "crumple/geometry/cells.h"

namespace crumple::generator {

/// A small fighter of 8 m: a slender hull, two swept wings with an engine pod each, a fin. x forwards, y up, z to the right; scored into nose,
/// middle, tail and two pieces of each wing.
Result<Asset> make_fighter();

// What is drawn, and the simpler closed bodies that its tetrahedra fill: wings are drawn thinner than a cell.
TriMesh fighter_surface();
TriMesh fighter_solid();

std::vector<Handle> fighter_handles();
std::vector<Sketch> fighter_examples(const std::vector<Handle>& handles);
std::vector<ConvexCell> fighter_cells(const Bounds& box);

}  // namespace crumple::generator
