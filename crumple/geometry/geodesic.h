#pragma once

#include <span>
#include <utility>
#include <vector>

#include "crumple/geometry/tet_mesh.h"

namespace crumple {

/// Edges of a mesh with their rest lengths, as neighbour lists one after another.
struct EdgeGraph {
  std::vector<int> first;      // #vertices + 1
  std::vector<int> neighbor;   // #edges x 2
  std::vector<float> length;   // #edges x 2, m
};

EdgeGraph edge_graph(const TetMesh& mesh);

/// A vertex within reach and its distance along edges.
struct Reached {
  int vertex;
  float distance;
};

/// All vertices nearer than `radius` to `seed` along the edges (Dijkstra with a heap), the seed itself first, then by distance.
std::vector<Reached> reach(const EdgeGraph& graph, int seed, double radius);

}  // namespace crumple
