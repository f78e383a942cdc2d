#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// The same surface with no edge longer than `length`, so that it can bend: edges are halved, and so are those of doubled corners, so what was closed
/// stays closed. Edges between triangles of rigid parts are left whole. Vertices that were there keep their numbers. Stops before it has more than
/// `most` triangles. `parents`: gets 2 numbers for each vertex that was added, those that it lies between.
TriMesh refined(TriMesh mesh, double length, size_t most = 400000, std::vector<int32_t>* parents = nullptr);

}  // namespace crumple
