#pragma once

#include "assets/generator/author.h"

#include <functional>

namespace crumple::generator {

/// Authors a body whose design is simpler than what is drawn, such as a hull without its rails: tetrahedra, handles and weights come from
/// the design's surface, and `drawn` is carried by them. What is drawn outside of them follows the nearest. The design's handles need
/// only be near the surface (they move to the nearest outer vertex of the tetrahedra), so `examples` are sketched from where they settle.
Result<Asset> author_within(Design design, const std::function<std::vector<Sketch>(const std::vector<Handle>&)>& examples, TriMesh drawn);

/// The handles at outer vertices of the tetrahedra that the design's surface will be filled with, each at its own.
Result<std::vector<Handle>> settled_handles(const Design& design);

}  // namespace crumple::generator
