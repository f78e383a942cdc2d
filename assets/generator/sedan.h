#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// A sedan of the 1990s with four doors, about the origin, driving along +x.
Result<Asset> make_sedan();

/// The same with bonnet, boot lid, doors and bumpers as pieces, each held by hinges and a lock, or by brackets.
Result<Asset> make_sedan_scored();

TriMesh sedan_surface();
std::vector<Handle> sedan_handles();
std::vector<Sketch> sedan_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
