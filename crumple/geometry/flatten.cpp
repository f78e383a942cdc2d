#include "crumple/geometry/flatten.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "crumple/core/parallel.h"

namespace crumple {
namespace {

constexpr double kFold = 0.2;  // cosine: a triangle that turns more than this has folded over
constexpr int kAttempts = 5;

/// Lists of numbers, one after the other.
struct Lists {
  std::vector<int> first, items;
  std::span<const int> of(size_t i) const {
    return std::span<const int>(items).subspan(static_cast<size_t>(first[i]), static_cast<size_t>(first[i + 1] - first[i]));
  }
};

Lists faces_of_vertices(const TriMesh& mesh) {
  Lists lists;
  lists.first.assign(mesh.positions.size() + 1, 0);
  for (const Triangle& t : mesh.triangles)
    for (const int v : t) ++lists.first[static_cast<size_t>(v) + 1];
  for (size_t v = 0; v < mesh.positions.size(); ++v) lists.first[v + 1] += lists.first[v];
  lists.items.resize(3 * mesh.triangles.size());
  std::vector<int> next = lists.first;
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const int v : mesh.triangles[t]) lists.items[static_cast<size_t>(next[static_cast<size_t>(v)]++)] = static_cast<int>(t);
  return lists;
}

/// Faces that share a vertex, once each, and not the face itself.
Lists faces_around_faces(const TriMesh& mesh, const Lists& faces) {
  Lists lists;
  lists.first.push_back(0);
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto begin = static_cast<long>(lists.items.size());
    for (const int v : mesh.triangles[t])
      for (const int other : faces.of(static_cast<size_t>(v)))
        if (other != static_cast<int>(t)) lists.items.push_back(other);
    std::sort(lists.items.begin() + begin, lists.items.end());
    lists.items.erase(std::unique(lists.items.begin() + begin, lists.items.end()), lists.items.end());
    lists.first.push_back(static_cast<int>(lists.items.size()));
  }
  return lists;
}

struct Face {
  Vec3 middle, normal;
  double area;
};

std::vector<Face> faces_of(const TriMesh& mesh) {
  std::vector<Face> faces(mesh.triangles.size());
  parallel_for(faces.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      const auto& [i, j, k] = mesh.triangles[t];
      const Vec3 &a = mesh.positions[i], &b = mesh.positions[j], &c = mesh.positions[k], cross = (b - a).cross(c - a);
      const double length = cross.norm();
      faces[t] = {(a + b + c) / 3, length > 0 ? Vec3(cross / length) : Vec3(Vec3::Zero()), 0.5 * length};
    }
  });
  return faces;
}

/// Zheng et al. 2011, equation 3.
void level_normals(const Lists& around, const FlattenSettings& settings, std::vector<Face>& faces) {
  std::vector<Vec3> levelled(faces.size());
  for (int round = 0; round < settings.rounds; ++round) {
    parallel_for(faces.size(), 512, [&](size_t begin, size_t end) {
      for (size_t t = begin; t < end; ++t) {
        Vec3 sum = faces[t].area * faces[t].normal;
        for (const int other : around.of(t)) {
          const Face& face = faces[static_cast<size_t>(other)];
          const double far = (face.middle - faces[t].middle).squaredNorm() / (settings.reach * settings.reach);
          const double unlike = (face.normal - faces[t].normal).squaredNorm() / (settings.alike * settings.alike);
          sum += face.area * std::exp(-0.5 * (far + unlike)) * face.normal;
        }
        const double length = sum.norm();
        levelled[t] = length > 0 ? Vec3(sum / length) : faces[t].normal;
      }
    });
    for (size_t t = 0; t < faces.size(); ++t) faces[t].normal = levelled[t];
  }
}

/// Sun et al. 2007: vertices go towards the planes that their triangles shall lie in. Held ones stay.
void follow_normals(const Lists& faces_of_vertex, const std::vector<Face>& faces, const FlattenSettings& settings, const std::vector<char>& held,
                    TriMesh& mesh) {
  const std::vector<Vec3> start = mesh.positions;
  std::vector<Vec3> moved = mesh.positions, middles(mesh.triangles.size());
  for (int move = 0; move < settings.moves; ++move) {
    for (size_t t = 0; t < middles.size(); ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      middles[t] = (mesh.positions[a] + mesh.positions[b] + mesh.positions[c]) / 3;
    }
    parallel_for(moved.size(), 1024, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        const std::span<const int> around = faces_of_vertex.of(v);
        if (held[v] || around.empty()) continue;
        Vec3 sum = Vec3::Zero();
        for (const int t : around) {
          const Vec3& normal = faces[static_cast<size_t>(t)].normal;
          sum += normal.dot(middles[static_cast<size_t>(t)] - mesh.positions[v]) * normal;
        }
        const Vec3 way = mesh.positions[v] + sum / static_cast<double>(around.size()) - start[v];
        const double length = way.norm();
        moved[v] = start[v] + std::min(1.0, settings.most_moved / std::max(length, 1e-300)) * way;
      }
    });
    mesh.positions.swap(moved);
  }
}

/// Holds the corners of triangles that have turned away from where they faced. True if there are new ones.
bool hold_folds(const std::vector<Face>& before, const TriMesh& mesh, std::vector<char>& held) {
  const std::vector<Face> after = faces_of(mesh);
  bool found = false;
  for (size_t t = 0; t < after.size(); ++t) {
    if (after[t].normal.dot(before[t].normal) > kFold) continue;
    for (const int v : mesh.triangles[t]) found |= !held[static_cast<size_t>(v)], held[static_cast<size_t>(v)] = 1;
  }
  return found;
}

/// Every vertex goes a share of the way to the middle of the triangles around it.
void go_to_middle(const Lists& faces_of_vertex, double share, TriMesh& mesh) {
  const std::vector<Vec3> from = mesh.positions;
  parallel_for(from.size(), 1024, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const std::span<const int> around = faces_of_vertex.of(v);
      Vec3 sum = Vec3::Zero();
      for (const int t : around)
        for (const int corner : mesh.triangles[static_cast<size_t>(t)]) sum += from[static_cast<size_t>(corner)] - from[v];
      if (!around.empty()) mesh.positions[v] += share / (2.0 * static_cast<double>(around.size())) * sum;
    }
  });
}

/// Takes off jags of single vertices, forth and back, so that nothing shrinks. [Taubin 1995]
void soften(const Lists& faces_of_vertex, TriMesh& mesh) {
  for (int round = 0; round < 2; ++round) {
    go_to_middle(faces_of_vertex, 0.5, mesh);
    go_to_middle(faces_of_vertex, -0.53, mesh);
  }
}

}  // namespace

void flatten(TriMesh& mesh, const FlattenSettings& settings) {
  const Lists faces_of_vertex = faces_of_vertices(mesh);
  soften(faces_of_vertex, mesh);
  const std::vector<Face> before = faces_of(mesh);
  std::vector<Face> faces = before;
  level_normals(faces_around_faces(mesh, faces_of_vertex), settings, faces);
  const std::vector<Vec3> start = mesh.positions;
  std::vector<char> held(start.size(), 0);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    mesh.positions = start;
    follow_normals(faces_of_vertex, faces, settings, held, mesh);
    if (!hold_folds(before, mesh, held)) break;
  }
  soften(faces_of_vertex, mesh);
}

}  // namespace crumple
