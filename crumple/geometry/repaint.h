#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple {

/// The colour that covers the largest area, black if there are none.
Vec3f main_color(const TriMesh& surface);

/// The surface with `main` and its darker and lighter shades replaced by `paint`, as dark or light: a red car with the same windows, lamps
/// and tyres. A surface without colours stays as it is.
TriMesh repainted(TriMesh surface, const Vec3f& main, const Vec3f& paint);

}  // namespace crumple
