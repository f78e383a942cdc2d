#pragma once

#include <cstdint>
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
  std::vector<int> link;       // #edges x 2: what must hold for the edge to be passed, -1 for always; empty: all are passed always
};

EdgeGraph edge_graph(const TetMesh& mesh);

/// An edge of no length between two copies of one vertex, there as long as the link holds.
struct TwinEdge {
  int a, b;
  int link;
};
EdgeGraph edge_graph(const TetMesh& mesh, std::span<const TwinEdge> twins);

/// A vertex within reach and its distance along edges.
struct Reached {
  int vertex;
  float distance;
};

/// All vertices nearer than `radius` to `seed` along the edges (Dijkstra with a heap), the seed itself first, then by distance. Edges whose link is
/// broken are not passed; `broken` may be empty.
std::vector<Reached> reach(const EdgeGraph& graph, int seed, double radius, std::span<const uint8_t> broken = {});

}  // namespace crumple
