#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

// Ships stand about their waterline amidships: x towards the bow, y up, z to starboard.

/// A trawler of 14 m: working deck and gantry aft, wheelhouse and mast forward.
Result<Asset> make_small_ship();
/// A freighter of 90 m with stacked containers, two cranes and its bridge aft.
Result<Asset> make_large_ship();

// What is drawn, and the simpler closed bodies that their tetrahedra fill: masts, rails and gear are drawn thinner than a cell.
TriMesh small_ship_surface();
TriMesh small_ship_solid();
TriMesh large_ship_surface();
TriMesh large_ship_solid();

std::vector<Handle> small_ship_handles();
std::vector<Sketch> small_ship_examples(const std::vector<Handle>& handles);
std::vector<Handle> large_ship_handles();
std::vector<Sketch> large_ship_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
