#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "crumple/geometry/surface_clip.h"
#include "crumple/geometry/winding.h"
#include "crumple/math/union_find.h"

namespace crumple {
namespace {

struct EdgeOfShell {
  int low, high, shell, net;
};

/// Every side of every triangle with the shell it belongs to, by edge.
std::vector<EdgeOfShell> sorted_shell_edges(const std::vector<Triangle>& triangles) {
  std::vector<EdgeOfShell> edges;
  edges.reserve(3 * triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (size_t k = 0; k < 3; ++k) {
      const int a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), a < b ? 1 : -1});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const EdgeOfShell& a, const EdgeOfShell& b) {
    return std::pair(std::pair(a.low, a.high), std::pair(a.shell, a.net)) < std::pair(std::pair(b.low, b.high), std::pair(b.shell, b.net));
  });
  return edges;
}

template <class Visit>
void for_each_edge_group(std::span<EdgeOfShell> edges, const Visit& visit) {
  for (size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high) ++end;
    visit(edges.subspan(begin, end - begin));
  }
}

/// Triangles that share an edge of just two are one shell; so are those that close each other where more meet.
UnionFind shells_by_edges(const std::vector<Triangle>& triangles, std::vector<char>& open) {
  std::vector<EdgeOfShell> edges = sorted_shell_edges(triangles);
  UnionFind shells(triangles.size());
  const auto is_plain = [](std::span<EdgeOfShell> group) { return group.size() == 2 && group[0].net + group[1].net == 0; };
  for_each_edge_group(edges, [&](std::span<EdgeOfShell> group) {
    if (is_plain(group)) shells.merge(group[0].shell, group[1].shell);
  });
  for_each_edge_group(edges, [&](std::span<EdgeOfShell> group) {
    if (is_plain(group)) return;
    std::map<int, int> net;
    int total = 0, first = -1;
    for (const EdgeOfShell& edge : group) net[shells.of(edge.shell)] += edge.net, total += edge.net;
    for (const auto& [shell, sum] : net) {
      if (sum == 0) continue;
      if (total != 0) open[static_cast<size_t>(shell)] = 1;
      if (first >= 0) shells.merge(first, shell);
      first = first < 0 ? shell : first;
    }
  });
  return shells;
}

void join_open(UnionFind& shells, const std::vector<char>& open) {
  int first = -1;
  for (int t = 0; t < static_cast<int>(open.size()); ++t) {
    if (!open[static_cast<size_t>(t)]) continue;
    if (first >= 0) shells.merge(first, t);
    first = first < 0 ? t : first;
  }
}

struct ClosedShell {
  int root = 0;
  std::vector<Triangle> triangles;  // of places
  Bounds box;
  double volume = 0;
};

std::vector<ClosedShell> shells_of(std::span<const Vec3> places, const std::vector<Triangle>& triangles, UnionFind& shells) {
  std::map<int, ClosedShell> found;
  for (size_t t = 0; t < triangles.size(); ++t) {
    const int root = shells.of(static_cast<int>(t));
    ClosedShell& shell = found[root];
    shell.root = root;
    for (const int corner : triangles[t]) shell.box.add(places[static_cast<size_t>(corner)]);
    shell.triangles.push_back(triangles[t]);
  }
  std::vector<ClosedShell> list;
  for (auto& [root, shell] : found) {
    shell.volume = signed_volume(places, shell.triangles);
    list.push_back(std::move(shell));
  }
  return list;
}

/// A hollow belongs to the smallest shell around it: where a plane opens it, both share a rim.
void join_hollows(std::span<const Vec3> places, const std::vector<Triangle>& triangles, UnionFind& shells) {
  const std::vector<ClosedShell> list = shells_of(places, triangles, shells);
  for (const ClosedShell& hollow : list) {
    if (hollow.volume >= 0) continue;
    const ClosedShell* around = nullptr;
    for (const ClosedShell& shell : list) {
      if (shell.volume <= -hollow.volume || (around && shell.volume >= around->volume)) continue;
      if ((hollow.box.low.array() < shell.box.low.array()).any() || (hollow.box.high.array() > shell.box.high.array()).any()) continue;
      if (exact_winding(places, shell.triangles, places[static_cast<size_t>(hollow.triangles[0][0])]) > 0.5) around = &shell;
    }
    if (around) shells.merge(around->root, hollow.root);
  }
}

}  // namespace

std::vector<int> find_shells(std::span<const Vec3> places, const std::vector<Triangle>& triangles) {
  std::vector<char> open(triangles.size(), 0);
  UnionFind shells = shells_by_edges(triangles, open);
  join_open(shells, open);
  join_hollows(places, triangles, shells);
  std::vector<int> roots(triangles.size());
  for (size_t t = 0; t < roots.size(); ++t) roots[t] = shells.of(static_cast<int>(t));
  return roots;
}

}  // namespace crumple
