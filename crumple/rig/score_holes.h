#pragma once

#include "crumple/geometry/mesh.h"

namespace crumple {

/// A surface with its holes closed, so that pieces of it are solids: where it ends, it goes on across each loop of open edges.
struct ClosedSurface {
  TriMesh mesh;   // the surface itself first; closing triangles have vertices of their own
  int closing = 0;  // number of the first triangle that closes a hole
  int holes = 0;    // loops of open edges
};
/// Texture coordinates of what closes a hole are metres; other vertices get some if there are none.
ClosedSurface close_holes(const TriMesh& surface);

}  // namespace crumple
