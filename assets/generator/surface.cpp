#include "assets/generator/surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace crumple::generator {
namespace {

// A ring of an outline; one vertex where the outline is on the axis.
struct Ring {
  int first = 0;
  bool pole = false;
  int at(int i, int sectors) const { return pole ? first : first + i % sectors; }
};

Ring add_ring(TriMesh& mesh, const ProfilePoint& point, const Vec3& centre, int sectors) {
  const Ring ring{int(mesh.positions.size()), point.radius <= 0};
  for (int i = 0; i < (ring.pole ? 1 : sectors); ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sectors;
    mesh.positions.push_back(centre + Vec3(point.radius * std::cos(angle), point.height, -point.radius * std::sin(angle)));
  }
  return ring;
}

void join(TriMesh& mesh, const Ring& below, const Ring& above, int sectors) {
  for (int i = 0; i < sectors; ++i) {
    const int a = below.at(i, sectors), b = below.at(i + 1, sectors), c = above.at(i + 1, sectors), d = above.at(i, sectors);
    if (!below.pole) mesh.triangles.push_back({a, b, above.pole ? d : c});
    if (!above.pole) mesh.triangles.push_back({a, c, d});
  }
}

}  // namespace

void add_turned(TriMesh& mesh, std::span<const ProfilePoint> outline, const Vec3& centre, int sectors) {
  Ring below = add_ring(mesh, outline[0], centre, sectors);
  for (size_t i = 1; i < outline.size(); ++i) {
    const Ring above = add_ring(mesh, outline[i], centre, sectors);
    join(mesh, below, above, sectors);
    below = outline[i].crease ? add_ring(mesh, outline[i], centre, sectors) : above;
  }
}

namespace {

// The six faces of a beam are grids set in by the bevel; strips and corner triangles between their borders close it.
class Beam {
 public:
  Beam(TriMesh& mesh, const Transform& place, const Vec3& size, double bevel, double cell)
      : mesh_(mesh), place_(place), half_(size / 2), inset_(half_ - Vec3::Constant(bevel)) {
    for (int axis = 0; axis < 3; ++axis) cells_[axis] = std::max(1, int(std::ceil(2 * inset_[axis] / cell - 1e-9)));
  }

  void add() {
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) add_face(axis, side);
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 4; ++side) add_bevel(axis, side % 2, side / 2);
    for (int corner = 0; corner < 8; ++corner) add_corner(corner & 1, corner >> 1 & 1, corner >> 2);
  }

 private:
  void add_face(int axis, int side) {
    first_[axis][side] = int(mesh_.positions.size());
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int j = 0; j <= cells_[v]; ++j) {
      for (int i = 0; i <= cells_[u]; ++i) {
        Vec3 point;
        point[axis] = side ? half_[axis] : -half_[axis];
        point[u] = inset_[u] * (2.0 * i / cells_[u] - 1);
        point[v] = inset_[v] * (2.0 * j / cells_[v] - 1);
        mesh_.positions.push_back(place_ * point);
      }
    }
    for (int j = 0; j < cells_[v]; ++j)
      for (int i = 0; i < cells_[u]; ++i)
        add_quad(on(axis, side, i, j), on(axis, side, i + 1, j), on(axis, side, i + 1, j + 1), on(axis, side, i, j + 1), side);
  }

  // Along `axis`, between the faces across u and v on the given sides.
  void add_bevel(int axis, int u_side, int v_side) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto on_u = [&](int i) { return on(u, u_side, v_side ? cells_[v] : 0, i); };  // this face's own axes: v, axis
    const auto on_v = [&](int i) { return on(v, v_side, i, u_side ? cells_[u] : 0); };  // this face's own axes: axis, u
    for (int i = 0; i < cells_[axis]; ++i) add_quad(on_u(i), on_v(i), on_v(i + 1), on_u(i + 1), u_side == v_side);
  }

  void add_corner(int x, int y, int z) {
    const int a = on(0, x, y ? cells_[1] : 0, z ? cells_[2] : 0);
    const int b = on(1, y, z ? cells_[2] : 0, x ? cells_[0] : 0);
    const int c = on(2, z, x ? cells_[0] : 0, y ? cells_[1] : 0);
    if ((x + y + z) % 2) {
      mesh_.triangles.push_back({a, b, c});
    } else {
      mesh_.triangles.push_back({a, c, b});
    }
  }

  int on(int axis, int side, int i, int j) const { return first_[axis][side] + j * (cells_[(axis + 1) % 3] + 1) + i; }

  void add_quad(int a, int b, int c, int d, bool as_given) {
    if (!as_given) std::swap(b, d);
    mesh_.triangles.push_back({a, b, c});
    mesh_.triangles.push_back({a, c, d});
  }

  TriMesh& mesh_;
  Transform place_;
  Vec3 half_, inset_;
  std::array<int, 3> cells_{};
  std::array<std::array<int, 2>, 3> first_{};
};

}  // namespace

void add_beam(TriMesh& mesh, const Transform& place, const Vec3& size, double bevel, double cell) {
  Beam(mesh, place, size, bevel, cell).add();
}

}  // namespace crumple::generator
