#include "crumple/geometry/tet_mesh.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "crumple/core/index.h"
#include "crumple/geometry/bvh.h"
#include "crumple/geometry/mesh.h"

namespace crumple {
namespace {

struct FaceUse {
  Triangle sorted, face;
  int tet;
};

/// All faces of all tetrahedra; the uses of one face follow each other.
std::vector<FaceUse> face_uses(const TetMesh& mesh) {
  std::vector<FaceUse> uses;
  uses.reserve(mesh.tets.size() * 4);
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const auto& [i, j, k] : kTetFaces) {
      const Triangle face = {mesh.tets[t][i], mesh.tets[t][j], mesh.tets[t][k]};
      Triangle sorted = face;
      std::sort(sorted.begin(), sorted.end());
      uses.push_back({sorted, face, static_cast<int>(t)});
    }
  }
  std::stable_sort(uses.begin(), uses.end(), [](const FaceUse& a, const FaceUse& b) { return a.sorted < b.sorted; });
  return uses;
}

std::vector<FaceUse> single_faces(const TetMesh& mesh) {
  const std::vector<FaceUse> uses = face_uses(mesh);
  std::vector<FaceUse> single;
  for (size_t i = 0; i < uses.size();) {
    size_t end = i + 1;
    while (end < uses.size() && uses[end].sorted == uses[i].sorted) ++end;
    if (end == i + 1) single.push_back(uses[i]);
    i = end;
  }
  return single;
}

/// Tetrahedra whose box overlaps each cell of a regular grid.
class TetGrid {
 public:
  TetGrid(const TetMesh& mesh, const Bounds& bounds) : low_(bounds.low) {
    const double wanted = std::cbrt(static_cast<double>(mesh.tets.size()));
    const double longest = (bounds.high - bounds.low).maxCoeff();
    cell_ = std::max(longest / std::clamp(wanted, 1.0, 64.0), 1e-12);
    for (int axis = 0; axis < 3; ++axis) {
      size_[axis] = std::clamp(static_cast<int>((bounds.high[axis] - low_[axis]) / cell_) + 1, 1, 128);
    }
    cells_.resize(static_cast<size_t>(size_[0]) * size_[1] * size_[2]);
    for (size_t t = 0; t < mesh.tets.size(); ++t) {
      Bounds box;
      for (const int v : mesh.tets[t]) box.add(mesh.positions[v]);
      const auto from = coordinates(box.low), to = coordinates(box.high);
      for (int z = from[2]; z <= to[2]; ++z) {
        for (int y = from[1]; y <= to[1]; ++y) {
          for (int x = from[0]; x <= to[0]; ++x) cells_[index({x, y, z})].push_back(static_cast<int>(t));
        }
      }
    }
  }
  const std::vector<int>& near(const Vec3& point) const { return cells_[index(coordinates(point))]; }

 private:
  std::array<int, 3> coordinates(const Vec3& point) const {
    std::array<int, 3> result{};
    for (int axis = 0; axis < 3; ++axis) {
      const double place = (point[axis] - low_[axis]) / cell_;
      result[axis] = place <= 0 ? 0 : std::min(size_[axis] - 1, static_cast<int>(std::min(place, 1e6)));
    }
    return result;
  }
  size_t index(const std::array<int, 3>& c) const { return (static_cast<size_t>(c[2]) * size_[1] + c[1]) * size_[0] + c[0]; }

  Vec3 low_;
  double cell_ = 1;
  std::array<int, 3> size_{};
  std::vector<std::vector<int>> cells_;
};

struct TetBox {
  Vec3 low, high;
  bool holds(const Vec3& point) const { return (point.array() >= low.array()).all() && (point.array() <= high.array()).all(); }
};

std::vector<TetBox> tet_boxes(const TetMesh& mesh, double slack) {
  std::vector<TetBox> boxes;
  boxes.reserve(mesh.tets.size());
  for (const Tetrahedron& tet : mesh.tets) {
    Bounds box;
    for (const int v : tet) box.add(mesh.positions[v]);
    boxes.push_back({box.low - Vec3::Constant(slack), box.high + Vec3::Constant(slack)});
  }
  return boxes;
}

Eigen::Vector4d barycentric(const TetMesh& mesh, int tet, const Vec3& point) {
  const auto& [a, b, c, d] = mesh.tets[tet];
  Mat3 edges;
  edges << mesh.positions[b] - mesh.positions[a], mesh.positions[c] - mesh.positions[a], mesh.positions[d] - mesh.positions[a];
  const Vec3 w = edges.inverse() * (point - mesh.positions[a]);
  return {1 - w.sum(), w.x(), w.y(), w.z()};
}

}  // namespace

TetMesh make_tet_grid(const Vec3& size, const Eigen::Vector3i& cells) {
  TetMesh mesh;
  const auto number = [&](int i, int j, int k) { return (k * (cells.y() + 1) + j) * (cells.x() + 1) + i; };
  for (int k = 0; k <= cells.z(); ++k) {
    for (int j = 0; j <= cells.y(); ++j) {
      for (int i = 0; i <= cells.x(); ++i) mesh.positions.push_back(size.cwiseProduct(Vec3(i, j, k).cwiseQuotient(cells.cast<double>()) - Vec3::Constant(0.5)));
    }
  }
  // Six ways from the lowest corner of a cell to its highest, along one axis after another; odd orders turn the other way.
  constexpr std::array<std::array<int, 3>, 6> kOrders = {{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int k = 0; k < cells.z(); ++k) {
    for (int j = 0; j < cells.y(); ++j) {
      for (int i = 0; i < cells.x(); ++i) {
        for (size_t order = 0; order < 6; ++order) {
          Eigen::Vector3i corner(i, j, k);
          Tetrahedron tet;
          tet[0] = number(i, j, k);
          for (size_t step = 0; step < 3; ++step) ++corner[kOrders[order][step]], tet[step + 1] = number(corner.x(), corner.y(), corner.z());
          if (order >= 3) std::swap(tet[2], tet[3]);
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  return mesh;
}

double tet_volume(const std::vector<Vec3>& positions, const Tetrahedron& tet) {
  const Vec3& a = positions[tet[0]];
  return (positions[tet[1]] - a).cross(positions[tet[2]] - a).dot(positions[tet[3]] - a) / 6.0;
}

std::vector<Triangle> boundary_faces(const TetMesh& mesh) {
  std::vector<Triangle> faces;
  for (const FaceUse& use : single_faces(mesh)) faces.push_back(use.face);
  return faces;
}

std::vector<int> boundary_face_tets(const TetMesh& mesh) {
  std::vector<int> tets;
  for (const FaceUse& use : single_faces(mesh)) tets.push_back(use.tet);
  return tets;
}

Vec3 tet_center(const std::vector<Vec3>& positions, const Tetrahedron& tet) {
  return 0.25 * (positions[at(tet[0])] + positions[at(tet[1])] + positions[at(tet[2])] + positions[at(tet[3])]);
}

std::vector<InnerFace> inner_faces(const TetMesh& mesh) {
  const std::vector<FaceUse> uses = face_uses(mesh);
  std::vector<InnerFace> inner;
  for (size_t i = 0; i + 1 < uses.size(); ++i) {
    if (uses[i].sorted == uses[i + 1].sorted) inner.push_back({uses[i].face, uses[i].tet, uses[i + 1].tet});
  }
  return inner;
}

Embedding embed(const TetMesh& mesh, const std::vector<Vec3>& points) {
  Bounds bounds = bounds_of(mesh.positions);
  const TetGrid grid(mesh, bounds);
  const std::vector<Triangle> faces = boundary_faces(mesh);
  const std::vector<int> face_tets = boundary_face_tets(mesh);
  const TriangleTree tree(mesh.positions, faces);
  const std::vector<TetBox> boxes = tet_boxes(mesh, 1e-6 * bounds.diagonal());
  Embedding result;
  result.tet.reserve(points.size());
  for (const Vec3& point : points) {
    int best = -1;
    Eigen::Vector4d weights;
    double best_inside = -1e-6;
    for (const int tet : grid.near(point)) {
      if (!boxes[static_cast<size_t>(tet)].holds(point)) continue;
      const Eigen::Vector4d candidate = barycentric(mesh, tet, point);
      if (candidate.minCoeff() > best_inside) best = tet, weights = candidate, best_inside = candidate.minCoeff();
    }
    if (best < 0) {
      const int face = tree.closest(point).triangle;
      best = face < 0 ? 0 : face_tets[face];
      weights = barycentric(mesh, best, point);
    }
    result.tet.push_back(best);
    result.weights.push_back({static_cast<float>(weights[0]), static_cast<float>(weights[1]), static_cast<float>(weights[2]),
                              static_cast<float>(weights[3])});
  }
  return result;
}

}  // namespace crumple
