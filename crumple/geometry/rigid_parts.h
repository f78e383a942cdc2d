#pragma once

#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// The rigid motion that brings one shape nearest to another. `guess` is a rotation near it, and becomes the one found.
Transform rigid_fit(const std::vector<Vec3f>& from, const std::vector<Vec3f>& to, Quat& guess);

/// Numbers the connected parts of the marked triangles: each keeps its shape when the surface is deformed.
void mark_rigid_parts(const std::vector<bool>& marked, TriMesh& mesh);

/// Moves each rigid part of a deformed surface as a whole, to where its vertices are on the whole. Does nothing to a surface without any.
void keep_rigid_parts(const TriMesh& rest, std::vector<Vec3f>& positions);

}  // namespace crumple
