#pragma once

#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

/// For every vertex the first one within `tolerance` of it (itself if there is none): doubled vertices are one to topology.
/// Vertices with `skip` set stand for themselves.
std::vector<int> first_in_place(const std::vector<Vec3>& positions, double tolerance, const std::vector<bool>& skip);

/// Of triangles with the same corners one is kept. Pairs back to back are walls without an inside: both go, unless the mesh is
/// mostly made of them (a sheet drawn from both sides).
struct DoubledFaces {
  std::vector<char> keep;  // #triangles
  size_t count = 0;        // of triangles beyond the first in one place
  size_t example = 0;
};
DoubledFaces find_doubled_faces(const std::vector<Triangle>& triangles, const std::vector<int>& same);

/// A side of a triangle; `forward` if the triangle runs from `low` to `high`.
struct EdgeUse {
  int low, high, face;
  bool forward;
};

/// All sides of all triangles by edge, so that the uses of one edge follow each other. Corners are looked up in `same`.
std::vector<EdgeUse> sorted_edge_uses(const std::vector<Triangle>& triangles, const std::vector<int>& same);

/// Calls visit(first use, how many) for each edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeUse>& uses, const Visit& visit) {
  for (size_t begin = 0; begin < uses.size();) {
    size_t end = begin;
    while (end < uses.size() && uses[end].low == uses[begin].low && uses[end].high == uses[begin].high) ++end;
    visit(&uses[begin], end - begin);
    begin = end;
  }
}

/// Triangles joined over edges of exactly two.
struct Shells {
  std::vector<int> shell_of;    // #triangles
  std::vector<bool> turn;       // #triangles: faces against the majority of its shell
  std::vector<bool> one_sided;  // #shells: no orientation is consistent
  std::vector<bool> open;       // #shells: has an edge of one triangle
  size_t count() const { return one_sided.size(); }
};
Shells find_shells(const std::vector<EdgeUse>& uses, size_t triangles);

/// For every shell: does it face inward? Closed shells must enclose volume, open ones should face away from their middle. A shell inside
/// another one that faces inward is a cavity and right as it is.
std::vector<char> inward_shells(const TriMesh& mesh, const Shells& shells);

/// A chain of open edges, in the direction that triangles filling it must run.
struct Loop {
  std::vector<int> vertices;
  int shell = 0;
  bool closed = true;  // false: the chain ends at a non-manifold edge
};
/// Every loop visits a vertex once: where loops touch they are taken apart.
std::vector<Loop> open_loops(const std::vector<EdgeUse>& uses, const std::vector<int>& shell_of, size_t vertices);

/// Triangles over a loop by cutting ears in the plane that fits it best; empty if it is bent too much or crosses itself.
/// `effort` is paid per point tested; nothing is done once it is used up.
std::vector<Triangle> fill_loop(const std::vector<Vec3>& positions, const std::vector<int>& loop, double& effort);

}  // namespace crumple
