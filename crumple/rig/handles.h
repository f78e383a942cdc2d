#pragma once

#include <map>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/tet_mesh.h"
#include "crumple/rig/asset.h"

namespace crumple {

/// Chooses `count` vertices of the boundary as handles, besides those in `fixed`: of the two candidates that are closest to each other
/// one is dropped again and again, rather the one farther from the bounding box (paper 1, section 4). Candidates nearest to fixed places
/// are dropped first. Every part of the body keeps one, so more may come back than asked for, or fewer if there are not so many vertices.
/// Ascending; the same for any number of threads.
std::vector<int> choose_handles(const TetMesh& mesh, int count, const std::vector<Vec3>& fixed = {});

/// Finds a vertex of its own for every handle an artist placed.
class HandleBinding {
 public:
  /// Inner vertices of `mesh` may be moved a little.
  HandleBinding(TetMesh& mesh, double cell);

  /// The nearest vertex, at most half a cell away. Inside the body no vertex may be that near (a lattice leaves gaps of 0.56 cells): an
  /// inner one is then drawn to the handle until it is. Refused are handles outside and second ones at the same vertex.
  Result<int> bind(const Handle& handle);

 private:
  bool draw_nearer(int vertex, const Vec3& place);
  Error too_far(const Handle& handle, int nearest) const;

  TetMesh& mesh_;
  double cell_;
  std::vector<char> outer_;          // #vertices: on the boundary
  std::map<int, std::string> held_;  // by vertex: the handle there
};

/// Sorts vertices along the longest side of the body, so that handles with neighbouring numbers are neighbours.
void order_along(const TetMesh& mesh, std::vector<int>& vertices);

/// Names the unnamed by their number, "h0", "h1", ..., so that either may be used; names that are taken are not used twice.
void name_handles(std::vector<Handle>& handles);

}  // namespace crumple
