#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// One span of a road bridge, 24 x 8 x 1.2 m without its rails: a slab with kerbs on four steel girders. It runs along x; the middle of
/// the roadway's surface is the origin.
Result<Asset> make_bridge_deck();

TriMesh bridge_deck_surface();
/// The closed body that its tetrahedra fill: rails and girders are drawn thinner than a cell.
TriMesh bridge_deck_solid();

std::vector<Handle> bridge_deck_handles();
std::vector<Sketch> bridge_deck_examples(const std::vector<Handle>& handles);

inline constexpr double kSpan = 24, kDeckWidth = 8, kDeckDepth = 1.2;

}  // namespace crumple::generator
