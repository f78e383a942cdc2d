#pragma once

#include "assets/generator/author.h"

namespace crumple::generator {

/// A board that lies along x, about the origin.
Result<Asset> make_plank();

/// Length, thickness and width.
inline const Vec3 kPlankSize(3.0, 0.05, 0.25);

TriMesh plank_surface();
std::vector<Handle> plank_handles();
std::vector<Sketch> plank_examples(const std::vector<Handle>& handles);

}  // namespace crumple::generator
