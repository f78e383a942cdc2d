#pragma once

#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// The colour of a surface at each vertex, linear RGB: its own colours times those of its materials and their textures; `plain` where it has none of these.
std::vector<Vec3f> base_colors(const TriMesh& mesh, const Vec3f& plain);

}  // namespace crumple
