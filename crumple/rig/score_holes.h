#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple {

/// A surface with its holes closed, so that pieces of it are solids: where it ends, it goes on across each loop of open edges.
struct ClosedSurface {
  TriMesh mesh;   // the surface itself first; closing triangles have vertices of their own
  int holes = 0;  // loops of open edges
};
/// Colours mark what is new (see closes_hole), so that it can be told apart after cutting.
ClosedSurface close_holes(const TriMesh& surface);

/// Whether a vertex of a closed surface, or of what was cut from it, belongs to what closes a hole.
inline bool closes_hole(const Vec3f& color) {
  return color.x() < -0.5f;
}

}  // namespace crumple
