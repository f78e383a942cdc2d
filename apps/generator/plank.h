#pragma once

#include "apps/generator/author.h"

namespace crumple::generator {

/// A board that lies along x, about the origin.
Result<Asset> make_plank();

Design plank_design();

/// Length, thickness and width.
inline const Vec3 kPlankSize(3.0, 0.05, 0.25);

TriMesh plank_surface();

}  // namespace crumple::generator
