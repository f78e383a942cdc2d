#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "crumple/core/index.h"
#include "crumple/geometry/elements.h"
#include "crumple/geometry/geodesic.h"
#include "crumple/geometry/mesh.h"
#include "crumple/math/union_find.h"
#include "crumple/rig/skeleton.h"

namespace crumple {
namespace {

// Thickness of a slice in edges of the tetrahedra, and the most slices along the body.
constexpr double kSliceEdges = 1.6, kMaxSlices = 64;
// Components of a slice with fewer tetrahedra belong to the neighbour that they share most with.
constexpr int kMinTets = 8;
// A twig is pruned if it is shorter than this, in radii of the body where it branches off.
constexpr double kTwig = 1.5;
// Branches nearer to each other than this become one, in radii of the body there; nodes nearer than this become one, in edges of the tetrahedra.
constexpr double kOneBranch = 1.5, kOneNode = 1.5;
// A stretch is straight enough if its points are off by less than this share of the body's radius there.
constexpr double kStraight = 1.0;
// Free ends reach so far that this share of the volume around their bone lies before them.
constexpr double kEnd = 0.97;
// A node that is off the line between its two neighbours by less than this share of its length is removed.
constexpr double kSameLine = 0.06;
constexpr int kFits = 10;
constexpr double kHold = 0.05;  // weight of a node's present place, as a share of the volume around a node

/// Points along the middle of the body, each with those next to it.
struct MiddleGraph {
  std::vector<Vec3> points;
  std::vector<double> radii;
  std::vector<std::set<int>> next;

  void remove(int point) {
    for (const int other : next[at(point)]) next[at(other)].erase(point);
    next[at(point)].clear();
  }
  /// Neighbours of the second become those of the first.
  void merge(int kept, int gone) {
    const std::set<int> others = next[at(gone)];
    remove(gone);
    for (const int other : others) {
      if (other != kept) next[at(kept)].insert(other), next[at(other)].insert(kept);
    }
  }
};

/// Points from one end, branch or ring to another.
using Path = std::vector<int>;

/// Distance of every vertex from one end of the body, inside it; empty if the body is not connected.
std::vector<double> distances_from_end(const TetMesh& mesh) {
  const EdgeGraph graph = edge_graph(mesh);
  const double all = 1e30;
  const std::vector<Reached> first = reach(graph, 0, all);
  if (first.size() != mesh.positions.size()) return {};
  const std::vector<Reached> found = reach(graph, first.back().vertex, all);
  std::vector<double> distances(mesh.positions.size());
  for (const Reached& one : found) distances[at(one.vertex)] = static_cast<double>(one.distance);
  return distances;
}

struct Slices {
  std::vector<int> of_tet;
  double thickness = 0;
};

/// Connected tetrahedra at about the same distance.
Slices slice(const TetMesh& mesh, const std::vector<InnerFace>& faces, const std::vector<double>& distances) {
  Slices slices;
  const double longest = *std::max_element(distances.begin(), distances.end());
  slices.thickness = std::max(kSliceEdges * mean_edge(mesh), longest / kMaxSlices);
  std::vector<int> band;
  for (const Tetrahedron& tet : mesh.tets) {
    double sum = 0;
    for (const int v : tet) sum += distances[at(v)];
    band.push_back(static_cast<int>(0.25 * sum / slices.thickness));
  }
  UnionFind groups(mesh.tets.size());
  for (const InnerFace& face : faces) {
    if (band[at(face.a)] == band[at(face.b)]) groups.merge(face.a, face.b);
  }
  std::map<int, int> count;
  for (size_t t = 0; t < mesh.tets.size(); ++t) ++count[groups.of(static_cast<int>(t))];
  std::map<int, std::map<int, int>> shared;  // by small group: faces with each neighbour
  for (const InnerFace& face : faces) {
    const int a = groups.of(face.a), b = groups.of(face.b);
    if (a == b) continue;
    if (count[a] < kMinTets) ++shared[a][b];
    if (count[b] < kMinTets) ++shared[b][a];
  }
  for (const auto& [small, neighbours] : shared) {
    const auto most = std::max_element(neighbours.begin(), neighbours.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    groups.merge(small, most->first);
  }
  for (size_t t = 0; t < mesh.tets.size(); ++t) slices.of_tet.push_back(groups.of(static_cast<int>(t)));
  return slices;
}

MiddleGraph middle_graph(const TetMesh& mesh, const std::vector<InnerFace>& faces, const Slices& slices) {
  MiddleGraph graph;
  std::map<int, int> number;
  std::vector<double> volumes, squares;  // of the slices
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto [found, is_new] = number.emplace(slices.of_tet[t], static_cast<int>(graph.points.size()));
    if (is_new) graph.points.push_back(Vec3::Zero()), volumes.push_back(0), squares.push_back(0);
    const double volume = std::abs(tet_volume(mesh.positions, mesh.tets[t]));
    const Vec3 center = tet_center(mesh.positions, mesh.tets[t]);
    graph.points[at(found->second)] += volume * center;
    squares[at(found->second)] += volume * center.squaredNorm();
    volumes[at(found->second)] += volume;
  }
  for (size_t i = 0; i < volumes.size(); ++i) {
    const double volume = std::max(volumes[i], 1e-300);
    graph.points[i] /= volume;
    // A disc of this radius has as much spread across the way.
    const double spread = squares[i] / volume - graph.points[i].squaredNorm() - slices.thickness * slices.thickness / 12;
    graph.radii.push_back(std::sqrt(std::max(2 * spread, volume / (std::numbers::pi * slices.thickness))));
  }
  graph.next.resize(graph.points.size());
  for (const InnerFace& face : faces) {
    const int a = number[slices.of_tet[at(face.a)]], b = number[slices.of_tet[at(face.b)]];
    if (a != b) graph.next[at(a)].insert(b), graph.next[at(b)].insert(a);
  }
  return graph;
}

double length_of(const MiddleGraph& graph, const Path& path) {
  double length = 0;
  for (size_t i = 1; i < path.size(); ++i) length += (graph.points[at(path[i])] - graph.points[at(path[i - 1])]).norm();
  return length;
}

/// All stretches between points that do not have just two neighbours. A ring without any is one path from a point back to it.
std::vector<Path> paths_of(const MiddleGraph& graph) {
  std::set<std::pair<int, int>> walked;
  std::vector<Path> paths;
  const auto is_key = [&](int point) { return graph.next[at(point)].size() != 2; };
  const auto walk = [&](int from, int to) {
    if (walked.contains({from, to})) return;
    Path path = {from, to};
    walked.insert({from, to}), walked.insert({to, from});
    while (path.back() != from && !is_key(path.back())) {
      const int before = path[path.size() - 2], here = path.back();
      int onward = -1;
      for (const int other : graph.next[at(here)]) {
        if (other != before) onward = other;
      }
      if (onward < 0 || walked.contains({here, onward})) break;
      walked.insert({here, onward}), walked.insert({onward, here});
      path.push_back(onward);
    }
    paths.push_back(std::move(path));
  };
  for (const bool only_keys : {true, false}) {
    for (int p = 0; p < static_cast<int>(graph.points.size()); ++p) {
      if (only_keys && !is_key(p)) continue;
      for (const int other : graph.next[at(p)]) walk(p, other);
    }
  }
  return paths;
}

bool is_end(const MiddleGraph& graph, int point) {
  return graph.next[at(point)].size() == 1;
}

/// The end of a path that is free, turned to its back; false if neither is, or both.
bool turn_free_end_back(const MiddleGraph& graph, Path& path) {
  if (is_end(graph, path.front()) == is_end(graph, path.back())) return false;
  if (is_end(graph, path.front())) std::reverse(path.begin(), path.end());
  return true;
}

/// Takes a free end off, up to the branch.
void cut_off(MiddleGraph& graph, const Path& path) {
  for (size_t i = 1; i < path.size(); ++i) graph.remove(path[i]);
}

void prune_twigs(MiddleGraph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Path& path : paths_of(graph)) {
      if (!turn_free_end_back(graph, path) || length_of(graph, path) > kTwig * graph.radii[at(path.front())]) continue;
      cut_off(graph, path);
      changed = true;
      break;  // what branched may be straight now
    }
  }
}

/// A path between two branches becomes one point.
void contract(MiddleGraph& graph, const Path& path) {
  const int kept = path.front();
  graph.points[at(kept)] = 0.5 * (graph.points[at(path.front())] + graph.points[at(path.back())]);
  for (size_t i = 1; i < path.size(); ++i) graph.merge(kept, path[i]);
}

void merge_branches(MiddleGraph& graph) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Path& path : paths_of(graph)) {
      const int a = path.front(), b = path.back();
      if (a == b || is_end(graph, a) || is_end(graph, b) || length_of(graph, path) > kOneBranch * std::max(graph.radii[at(a)], graph.radii[at(b)])) continue;
      contract(graph, path);
      changed = true;
      break;
    }
  }
}

/// Fewer paths: the shortest free ends go first, then the shortest stretches between branches.
void prune_to(MiddleGraph& graph, int bones) {
  for (;;) {
    std::vector<Path> paths = paths_of(graph);
    if (static_cast<int>(paths.size()) <= bones) return;
    const auto shortest = [&](bool is_free) -> Path* {
      Path* best = nullptr;
      double least = 1e300;
      for (Path& path : paths) {
        if (turn_free_end_back(graph, path) != is_free || path.front() == path.back()) continue;
        if (const double length = length_of(graph, path); length < least) least = length, best = &path;
      }
      return best;
    };
    if (const Path* twig = shortest(true)) {
      cut_off(graph, *twig);
    } else if (const Path* stretch = shortest(false); stretch && paths.size() > 1) {
      contract(graph, *stretch);
    } else {
      return;
    }
  }
}

/// Slices at a free end do not reach across the body: their centres lead to a corner.
void trim(const MiddleGraph& graph, Path& path) {
  const auto shorten = [&] {
    double radius = 0;
    for (const int p : path) radius = std::max(radius, graph.radii[at(p)]);
    while (path.size() > 2 && (graph.points[at(path.back())] - graph.points[at(path[path.size() - 2])]).norm() < radius) {
      radius -= (graph.points[at(path.back())] - graph.points[at(path[path.size() - 2])]).norm();
      path.pop_back();
    }
  };
  if (is_end(graph, path.back())) shorten();
  if (!is_end(graph, path.front())) return;
  std::reverse(path.begin(), path.end());
  shorten();
  std::reverse(path.begin(), path.end());
}

/// A straight stretch of a path, and where the path leaves it most, in tolerances.
struct Stretch {
  const Path* path;
  size_t begin, end;
  size_t farthest = 0;
  double off = 0;
};

Stretch measured(const MiddleGraph& graph, const Path& path, size_t begin, size_t end) {
  Stretch stretch{&path, begin, end};
  const Vec3 a = graph.points[at(path[begin])], along = graph.points[at(path[end])] - a;
  for (size_t i = begin + 1; i < end; ++i) {
    const Vec3 p = graph.points[at(path[i])] - a;
    const double share = along.squaredNorm() > 0 ? std::clamp(p.dot(along) / along.squaredNorm(), 0.0, 1.0) : 0.0;
    const double off = (p - share * along).norm() / std::max(kStraight * graph.radii[at(path[i])], 1e-12);
    if (off > stretch.off) stretch.off = off, stretch.farthest = i;
  }
  return stretch;
}

Skeleton straight_bones(const MiddleGraph& graph, const std::vector<Path>& paths, int bones) {
  std::vector<Stretch> stretches;
  for (const Path& path : paths) {
    if (path.front() != path.back()) {
      stretches.push_back(measured(graph, path, 0, path.size() - 1));
      continue;
    }
    for (size_t third = 0; third < 3; ++third) {  // a ring has three bones at least
      const size_t begin = third * (path.size() - 1) / 3, end = (third + 1) * (path.size() - 1) / 3;
      if (end > begin) stretches.push_back(measured(graph, path, begin, end));
    }
  }
  while (static_cast<int>(stretches.size()) < bones) {
    const auto worst = std::max_element(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.off < b.off; });
    if (worst == stretches.end() || worst->off <= 1) break;
    const Stretch whole = *worst;
    *worst = measured(graph, *whole.path, whole.begin, whole.farthest);
    stretches.push_back(measured(graph, *whole.path, whole.farthest, whole.end));
  }
  Skeleton skeleton;
  std::map<int, int> node;
  const auto node_of = [&](int point) {
    const auto [found, is_new] = node.emplace(point, static_cast<int>(skeleton.nodes.size()));
    if (is_new) skeleton.nodes.push_back(graph.points[at(point)]);
    return found->second;
  };
  for (const Stretch& stretch : stretches) {
    const int a = node_of((*stretch.path)[stretch.begin]), b = node_of((*stretch.path)[stretch.end]);
    skeleton.bones.push_back({a, b});
    skeleton.names.push_back(fmt::format("bone {}", skeleton.bones.size()));
  }
  return skeleton;
}

/// What is nearest to each bone.
struct Around {
  int bone = 0;
  OnBone at;
};

Around around(const Skeleton& skeleton, const Vec3& point) {
  Around best{0, nearest_on_bone(skeleton, 0, point)};
  for (int b = 1; b < static_cast<int>(skeleton.bones.size()); ++b) {
    const OnBone one = nearest_on_bone(skeleton, b, point);
    if (one.distance < best.at.distance) best = {b, one};
  }
  return best;
}

/// Moves the nodes so that bones run through the middle of the tetrahedra around them: least squares, again and again.
void fit_to(const TetMesh& mesh, Skeleton& skeleton) {
  const int count = static_cast<int>(skeleton.nodes.size());
  for (int round = 0; round < kFits; ++round) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count), right = Eigen::MatrixXd::Zero(count, 3);
    double total = 0;
    for (const Tetrahedron& tet : mesh.tets) {
      const Vec3 center = tet_center(mesh.positions, tet);
      const double volume = std::abs(tet_volume(mesh.positions, tet));
      const Around near = around(skeleton, center);
      const auto [a, b] = skeleton.bones[at(near.bone)];
      const double t = near.at.share;
      matrix(a, a) += volume * (1 - t) * (1 - t), matrix(b, b) += volume * t * t;
      matrix(a, b) += volume * t * (1 - t), matrix(b, a) += volume * t * (1 - t);
      right.row(a) += volume * (1 - t) * center.transpose(), right.row(b) += volume * t * center.transpose();
      total += volume;
    }
    const double hold = kHold * total / count;
    for (int n = 0; n < count; ++n) matrix(n, n) += hold, right.row(n) += hold * skeleton.nodes[at(n)].transpose();
    const Eigen::MatrixXd solved = matrix.ldlt().solve(right);
    for (int n = 0; n < count; ++n) skeleton.nodes[at(n)] = solved.row(n).transpose();
  }
}

/// Bones that go straight on into each other are one.
void join_straight(Skeleton& skeleton) {
  for (int n = 0; n < static_cast<int>(skeleton.nodes.size()); ++n) {
    std::vector<size_t> meet;
    for (size_t b = 0; b < skeleton.bones.size(); ++b) {
      if (skeleton.bones[b][0] == n || skeleton.bones[b][1] == n) meet.push_back(b);
    }
    if (meet.size() != 2) continue;
    const auto other = [&](size_t b) { return skeleton.bones[b][0] == n ? skeleton.bones[b][1] : skeleton.bones[b][0]; };
    const int from = other(meet[0]), to = other(meet[1]);
    if (from == to) continue;
    const Vec3 chord = skeleton.nodes[at(to)] - skeleton.nodes[at(from)], leg = skeleton.nodes[at(n)] - skeleton.nodes[at(from)];
    if (leg.cross(chord).norm() > kSameLine * chord.squaredNorm()) continue;
    skeleton.bones[meet[0]] = {from, to};
    skeleton.bones.erase(skeleton.bones.begin() + static_cast<long>(meet[1]));
    skeleton.names.pop_back();
  }
}

/// Bones shorter than `least` become points, and so do those that are then in one place with another.
void drop_short(Skeleton& skeleton, double least) {
  for (size_t b = 0; b < skeleton.bones.size() && skeleton.bones.size() > 1;) {
    const auto [kept, gone] = skeleton.bones[b];
    if (length_of_bone(skeleton, static_cast<int>(b)) >= least) {
      ++b;
      continue;
    }
    skeleton.nodes[at(kept)] = 0.5 * (skeleton.nodes[at(kept)] + skeleton.nodes[at(gone)]);
    std::set<std::pair<int, int>> there;
    std::vector<std::array<int, 2>> bones;
    for (std::array<int, 2> bone : skeleton.bones) {
      for (int& n : bone) n = n == gone ? kept : n;
      if (bone[0] != bone[1] && there.insert(std::minmax(bone[0], bone[1])).second) bones.push_back(bone);
    }
    if (bones.empty()) return;
    skeleton.bones = std::move(bones);
    skeleton.names.resize(skeleton.bones.size());
    b = 0;
  }
}

/// Nodes that no bone has any more are dropped.
void drop_unused_nodes(Skeleton& skeleton) {
  std::vector<int> number(skeleton.nodes.size(), -1);
  std::vector<Vec3> nodes;
  for (auto& bone : skeleton.bones) {
    for (int& n : bone) {
      if (number[at(n)] < 0) number[at(n)] = static_cast<int>(nodes.size()), nodes.push_back(skeleton.nodes[at(n)]);
      n = number[at(n)];
    }
  }
  skeleton.nodes = std::move(nodes);
}

/// Free ends reach as far as the body does.
void stretch_ends(const TetMesh& mesh, Skeleton& skeleton) {
  std::vector<int> degree(skeleton.nodes.size(), 0);
  for (const auto& [a, b] : skeleton.bones) ++degree[at(a)], ++degree[at(b)];
  struct Reach {
    double share, volume;
  };
  std::vector<std::vector<Reach>> reaches(skeleton.bones.size());
  for (const Tetrahedron& tet : mesh.tets) {
    const Vec3 center = tet_center(mesh.positions, tet);
    const int bone = around(skeleton, center).bone;
    const auto [a, b] = skeleton.bones[at(bone)];
    const Vec3 along = skeleton.nodes[at(b)] - skeleton.nodes[at(a)];
    reaches[at(bone)].push_back({(center - skeleton.nodes[at(a)]).dot(along) / along.squaredNorm(), std::abs(tet_volume(mesh.positions, tet))});
  }
  for (size_t bone = 0; bone < skeleton.bones.size(); ++bone) {
    std::vector<Reach>& reach = reaches[bone];
    if (reach.empty()) continue;
    std::sort(reach.begin(), reach.end(), [](const Reach& a, const Reach& b) { return a.share < b.share; });
    double total = 0, sum = 0, low = reach.front().share, high = reach.back().share;
    for (const Reach& one : reach) total += one.volume;
    for (const Reach& one : reach) {
      if (sum < (1 - kEnd) * total) low = one.share;
      if (sum < kEnd * total) high = one.share;
      sum += one.volume;
    }
    const auto [a, b] = skeleton.bones[bone];
    const Vec3 from = skeleton.nodes[at(a)], along = skeleton.nodes[at(b)] - from;
    if (degree[at(a)] == 1) skeleton.nodes[at(a)] = from + low * along;
    if (degree[at(b)] == 1) skeleton.nodes[at(b)] = from + high * along;
  }
}

/// A body without length has one bone along its longest axis.
Skeleton one_bone(const TetMesh& mesh) {
  const Bounds bounds = bounds_of(mesh.positions);
  const Vec3 middle = 0.5 * (bounds.low + bounds.high), size = bounds.high - bounds.low;
  int axis = 0;
  size.maxCoeff(&axis);
  Vec3 half = Vec3::Zero();
  half[axis] = 0.4 * size[axis];
  return {{middle - half, middle + half}, {{0, 1}}, {"bone 1"}};
}

}  // namespace

Result<Skeleton> extract_skeleton(const TetMesh& mesh, int bones) {
  const std::vector<double> distances = distances_from_end(mesh);
  if (distances.empty()) return input_error("the body is in parts that do not touch, so no skeleton can be found in it; give its bones");
  const std::vector<InnerFace> faces = inner_faces(mesh);
  MiddleGraph graph = middle_graph(mesh, faces, slice(mesh, faces, distances));
  prune_twigs(graph);
  merge_branches(graph);
  prune_to(graph, bones);
  std::vector<Path> paths = paths_of(graph);
  for (Path& path : paths) trim(graph, path);
  Skeleton skeleton = paths.empty() ? one_bone(mesh) : straight_bones(graph, paths, bones);
  fit_to(mesh, skeleton);
  join_straight(skeleton);
  drop_short(skeleton, kOneNode * mean_edge(mesh));
  drop_unused_nodes(skeleton);
  stretch_ends(mesh, skeleton);
  return skeleton;
}

}  // namespace crumple
