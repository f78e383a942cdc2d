#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple {

/// The surface with its main colour, the one that covers the largest area, replaced by `paint`: a red car with the same windows, lamps and
/// tyres. A surface without colours stays as it is.
TriMesh repainted(TriMesh surface, const Vec3f& paint);

}  // namespace crumple
