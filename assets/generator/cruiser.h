#pragma once

#include "assets/generator/author.h"

#include "crumple/geometry/cells.h"

namespace crumple::generator {

/// A large spaceship of 120 m: a plated hull with a chisel bow, hangars on both sides, a tower with the bridge, five engines. x forwards, y up, z to
/// starboard; scored across the hull and around the tower.
Result<Asset> make_cruiser();

// What is drawn, and the simpler closed bodies that its tetrahedra fill.
TriMesh cruiser_surface();
TriMesh cruiser_solid();

std::vector<Handle> cruiser_handles();
std::vector<Sketch> cruiser_examples(const std::vector<Handle>& handles);
std::vector<ConvexCell> cruiser_cells(const Bounds& box);

}  // namespace crumple::generator
