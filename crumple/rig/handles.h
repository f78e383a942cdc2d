#pragma once

#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// Chooses `count` vertices of the boundary as handles, besides those in `fixed`: of the two candidates that are closest to each other
/// one is dropped again and again, rather the one farther from the bounding box (paper 1, section 4). Candidates nearest to fixed places
/// are dropped first. The same for any number of threads; ties go to the lower number. Fewer vertices come back if there are not so many.
std::vector<int> choose_handles(const TetMesh& mesh, int count, const std::vector<Vec3>& fixed = {});

}  // namespace crumple
