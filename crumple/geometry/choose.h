#pragma once

#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple {

/// Names of a surface's groups and materials that some of its triangles have.
std::vector<std::string> part_names(const TriMesh& mesh);

/// The triangles whose group or material has a name that one of the patterns matches. Fails if a pattern matches nothing; `option` is named then.
Result<std::vector<bool>> matching_triangles(const TriMesh& mesh, std::span<const std::string> patterns, std::string_view option);

/// A group, or a material where groups tell nothing, that is much larger or farther away than the others together.
struct FarGroup {
  std::string name;
  double size = 0;    // metres across everything
  double others = 0;  // metres across what is left without all such groups
};
std::vector<FarGroup> far_groups(const TriMesh& mesh);

}  // namespace crumple
