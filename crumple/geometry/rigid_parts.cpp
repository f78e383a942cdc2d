#include "crumple/geometry/rigid_parts.h"

#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/geometry/mesh_topology.h"
#include "crumple/math/polar.h"
#include "crumple/math/union_find.h"

namespace crumple {
namespace {

constexpr int kMaxParts = 65535;
constexpr double kSamePlace = 1e-6;  // of the diagonal

void keep_part(const TriMesh& rest, const std::vector<int>& vertices, std::vector<Vec3f>& positions) {
  std::vector<Vec3f> from, to;
  for (const int v : vertices) {
    from.push_back(rest.positions[at(v)].cast<float>());
    to.push_back(positions[at(v)]);
  }
  Quat guess = Quat::Identity();
  const Transform motion = rigid_fit(from, to, guess);
  for (const int v : vertices) positions[at(v)] = (motion * rest.positions[at(v)]).cast<float>();
}

}  // namespace

Transform rigid_fit(const std::vector<Vec3f>& from, const std::vector<Vec3f>& to, Quat& guess) {
  Vec3 from_center = Vec3::Zero(), to_center = Vec3::Zero();
  for (size_t v = 0; v < from.size(); ++v) {
    from_center += from[v].cast<double>();
    to_center += to[v].cast<double>();
  }
  from_center /= static_cast<double>(from.size());
  to_center /= static_cast<double>(from.size());
  Mat3 moment = Mat3::Zero();
  for (size_t v = 0; v < from.size(); ++v) moment += (to[v].cast<double>() - to_center) * (from[v].cast<double>() - from_center).transpose();
  guess = nearest_rotation<double>(moment, guess);
  const Mat3 rotation = guess.normalized().toRotationMatrix();
  return {rotation, to_center - rotation * from_center};
}

void mark_rigid_parts(const std::vector<bool>& marked, TriMesh& mesh) {
  mesh.rigid.clear();
  if (std::ranges::find(marked, true) == marked.end()) return;
  std::vector<bool> is_bad;
  Bounds bounds;
  for (const Vec3& p : mesh.positions) {
    is_bad.push_back(!p.allFinite());
    if (!is_bad.back()) bounds.add(p);
  }
  const std::vector<int> same = first_in_place(mesh.positions, kSamePlace * bounds.diagonal(), is_bad);
  UnionFind parts(mesh.positions.size());
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!marked[t]) continue;
    const auto& [a, b, c] = mesh.triangles[t];
    parts.merge(same[at(a)], same[at(b)]);
    parts.merge(same[at(a)], same[at(c)]);
  }
  std::vector<int> number(mesh.positions.size(), 0);
  int count = 0;
  mesh.rigid.assign(mesh.triangles.size(), 0);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!marked[t]) continue;
    int& part = number[at(parts.of(same[at(mesh.triangles[t][0])]))];
    if (part == 0) part = count = std::min(count + 1, kMaxParts);
    mesh.rigid[t] = static_cast<uint16_t>(part);
  }
}

void keep_rigid_parts(const TriMesh& rest, std::vector<Vec3f>& positions) {
  if (rest.rigid.empty() || positions.size() != rest.positions.size()) return;
  std::vector<uint16_t> part(rest.positions.size(), 0);
  for (size_t t = 0; t < rest.triangles.size(); ++t) {
    for (const int v : rest.triangles[t]) part[at(v)] = std::max(part[at(v)], rest.rigid[t]);
  }
  std::vector<std::vector<int>> vertices(at(*std::ranges::max_element(rest.rigid)) + 1);
  for (size_t v = 0; v < part.size(); ++v) vertices[part[v]].push_back(static_cast<int>(v));
  for (size_t p = 1; p < vertices.size(); ++p) {
    if (!vertices[p].empty()) keep_part(rest, vertices[p], positions);
  }
}

}  // namespace crumple
