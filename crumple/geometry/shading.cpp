#include "crumple/geometry/shading.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace crumple {
namespace {

constexpr float kSameNormal = 0.9998f;  // cosine of about a degree: own normals closer than this are one

/// False if a position is not finite or a triangle names a vertex that does not exist.
bool is_sound(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) {
  const int count = static_cast<int>(positions.size());
  return std::ranges::all_of(positions, [](const Vec3f& p) { return p.allFinite(); }) &&
         std::ranges::all_of(triangles, [&](const Triangle& t) { return std::ranges::all_of(t, [&](int v) { return v >= 0 && v < count; }); });
}

Seams find_seams(const std::vector<Vec3f>& positions, const std::vector<Vec3f>& normals, float least_cosine) {
  const int count = static_cast<int>(positions.size());
  std::vector<int> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int v) { return std::tuple(positions[v].x(), positions[v].y(), positions[v].z(), v); };
  std::ranges::sort(order, [&](int a, int b) { return key(a) < key(b); });
  Seams seams;
  for (int i = 0; i < count; ++i) {
    // A fan of very many vertices in one point is not worth squaring.
    for (int j = i + 1; j < std::min(count, i + 8) && positions[order[i]] == positions[order[j]]; ++j) {
      if (normals[order[i]].dot(normals[order[j]]) > least_cosine) seams.emplace_back(order[i], order[j]);
    }
  }
  return seams;
}

/// The end of the longest edge at each vertex; -1 if it has none.
std::vector<int> find_neighbors(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) {
  std::vector<int> beside(positions.size(), -1);
  std::vector<float> longest(positions.size(), 0);
  for (const Triangle& triangle : triangles) {
    for (size_t k = 0; k < 3; ++k) {
      for (const auto& [v, w] : {std::pair(triangle[k], triangle[(k + 1) % 3]), std::pair(triangle[(k + 1) % 3], triangle[k])}) {
        const float length = (positions[w] - positions[v]).norm();
        if (length > longest[v]) longest[v] = length, beside[v] = w;
      }
    }
  }
  return beside;
}

/// Columns: along an edge, across it, and the normal.
Eigen::Matrix3f frame_at(const Vec3f& normal, const Vec3f& edge) {
  Vec3f along = edge - normal * normal.dot(edge);
  along = along.norm() > 1e-12f ? Vec3f(along.normalized()) : normal.unitOrthogonal();
  Eigen::Matrix3f frame;
  frame << along, normal.cross(along), normal;
  return frame;
}

}  // namespace

void smooth_over_seams(const Seams& seams, std::vector<Vec3f>& normals) {
  std::vector<std::pair<Vec3f, Vec3f>> before;
  for (const auto& [a, b] : seams) before.emplace_back(normals[a], normals[b]);
  for (size_t i = 0; i < seams.size(); ++i) normals[seams[i].first] += before[i].second, normals[seams[i].second] += before[i].first;
  for (size_t i = 0; i < seams.size(); ++i) {
    for (const auto& [v, was] : {std::pair(seams[i].first, before[i].first), std::pair(seams[i].second, before[i].second)}) {
      const float length = normals[v].norm();
      normals[v] = length > 1e-6f ? Vec3f(normals[v] / length) : was;  // faces that turn their backs to each other
    }
  }
}

Shading::Shading(const TriMesh& rest) {
  std::vector<Vec3f> positions(rest.positions.size());
  std::ranges::transform(rest.positions, positions.begin(), [](const Vec3& p) { return Vec3f(p.cast<float>()); });
  if (!is_sound(positions, rest.triangles)) return;
  const std::vector<Vec3f> faces = vertex_normals(positions, rest.triangles);
  if (rest.normals.size() != positions.size()) {
    seams_ = find_seams(positions, faces, kSmoothSeam);
    return;
  }
  beside_ = find_neighbors(positions, rest.triangles);
  seams_ = find_seams(positions, rest.normals, kSameNormal);
  std::erase_if(seams_, [&](const auto& seam) { return beside_[seam.first] < 0 || beside_[seam.second] < 0; });  // vertices of no triangle
  std::vector<Vec3f> smoothed = faces;
  smooth_over_seams(seams_, smoothed);
  for (size_t v = 0; v < positions.size(); ++v) {
    const Vec3f edge = beside_[v] < 0 ? Vec3f::Zero() : Vec3f(positions[beside_[v]] - positions[v]);
    own_.push_back(frame_at(smoothed[v], edge).transpose() * rest.normals[v]);
  }
}

std::vector<Vec3f> Shading::normals(const std::vector<Vec3f>& positions, const std::vector<Triangle>& triangles) const {
  std::vector<Vec3f> normals = vertex_normals(positions, triangles);
  smooth_over_seams(seams_, normals);
  for (size_t v = 0; v < own_.size(); ++v) {
    const Vec3f edge = beside_[v] < 0 ? Vec3f::Zero() : Vec3f(positions[beside_[v]] - positions[v]);
    normals[v] = (frame_at(normals[v], edge) * own_[v]).normalized();
  }
  return normals;
}

}  // namespace crumple
