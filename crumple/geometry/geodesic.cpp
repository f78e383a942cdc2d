#include "crumple/geometry/geodesic.h"

#include <algorithm>
#include <queue>

namespace crumple {

EdgeGraph edge_graph(const TetMesh& mesh) {
  return edge_graph(mesh, {});
}

EdgeGraph edge_graph(const TetMesh& mesh, std::span<const TwinEdge> twins) {
  struct Edge {
    int from, to, link;
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> edges;
  edges.reserve(mesh.tets.size() * 12 + twins.size() * 2);
  for (const Tetrahedron& tet : mesh.tets) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        if (i != j) edges.push_back({tet[i], tet[j], -1});
      }
    }
  }
  for (const TwinEdge& twin : twins) edges.push_back({twin.a, twin.b, twin.link}), edges.push_back({twin.b, twin.a, twin.link});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  EdgeGraph graph;
  graph.first.assign(mesh.positions.size() + 1, 0);
  for (const auto& [from, to, link] : edges) {
    ++graph.first[static_cast<size_t>(from) + 1];
    graph.neighbor.push_back(to);
    graph.length.push_back(link >= 0 ? 0.0f : static_cast<float>((mesh.positions[from] - mesh.positions[to]).norm()));
    if (!twins.empty()) graph.link.push_back(link);
  }
  for (size_t v = 1; v < graph.first.size(); ++v) graph.first[v] += graph.first[v - 1];
  return graph;
}

std::vector<Reached> reach(const EdgeGraph& graph, int seed, double radius, std::span<const uint8_t> broken) {
  struct Later {
    bool operator()(const Reached& a, const Reached& b) const { return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex; }
  };
  std::vector<Reached> found;
  std::vector<float> best(graph.first.size() - 1, std::numeric_limits<float>::infinity());
  std::priority_queue<Reached, std::vector<Reached>, Later> front;
  best[static_cast<size_t>(seed)] = 0;
  front.push({seed, 0});
  while (!front.empty()) {
    const Reached here = front.top();
    front.pop();
    if (here.distance > best[static_cast<size_t>(here.vertex)]) continue;  // reached by a shorter way meanwhile
    found.push_back(here);
    for (int e = graph.first[here.vertex]; e < graph.first[here.vertex + 1]; ++e) {
      if (!broken.empty() && !graph.link.empty() && graph.link[e] >= 0 && broken[static_cast<size_t>(graph.link[e])]) continue;
      const float distance = here.distance + graph.length[e];
      if (distance >= radius || distance >= best[static_cast<size_t>(graph.neighbor[e])]) continue;
      best[static_cast<size_t>(graph.neighbor[e])] = distance;
      front.push({graph.neighbor[e], distance});
    }
  }
  return found;
}

}  // namespace crumple
