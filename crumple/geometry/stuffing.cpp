#include "crumple/geometry/stuffing.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "crumple/geometry/tet_quality.h"

namespace crumple {
namespace {

// How near a cut must be to a lattice point, as a share of the edge, for the point to move there. The paper's pair for the
// largest smallest angle (table 1).
constexpr double kWarpLong = 0.24999;
constexpr double kWarpShort = 0.41189;

constexpr int kSteps[14][3] = {{2, 0, 0},  {-2, 0, 0}, {0, 2, 0},   {0, -2, 0}, {0, 0, 2},   {0, 0, -2},  {1, 1, 1},
                               {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
constexpr int kLongSteps = 6;

class Stuffer {
 public:
  Stuffer(const BccLattice& lattice, std::vector<double>& values) : lattice_(lattice), values_(values) {}

  Stuffing run() {
    warp();
    vertex_of_.assign(values_.size(), -1);
    for (int z = 0; z < lattice_.cells[2]; ++z) {
      for (int y = 0; y < lattice_.cells[1]; ++y) {
        for (int x = 0; x < lattice_.cells[0]; ++x) stuff_cube({x, y, z});
      }
    }
    collect_boundary();
    return std::move(result_);
  }

 private:
  /// Moves every lattice point that a cut comes too near onto the nearest such cut; its other cuts vanish with it.
  void warp() {
    for (int point = 0; point < lattice_.size(); ++point) {
      if (values_[point] == 0) continue;
      const std::array<int, 3> here = lattice_.halves(point);
      double nearest = 1e300;
      Vec3 target = Vec3::Zero();
      for (int s = 0; s < 14; ++s) {
        const int other = lattice_.at({here[0] + kSteps[s][0], here[1] + kSteps[s][1], here[2] + kSteps[s][2]});
        if (other < 0 || values_[point] * values_[other] >= 0) continue;
        const double share = values_[point] / (values_[point] - values_[other]);
        if (share > (s < kLongSteps ? kWarpLong : kWarpShort)) continue;
        const Vec3 step = share * (lattice_.position(other) - lattice_.position(point));
        if (step.norm() < nearest) nearest = step.norm(), target = lattice_.position(point) + step;
      }
      if (nearest < 1e300) values_[point] = 0, warped_[point] = target;
    }
  }

  /// Around each face between a cube and its next one along an axis lie four tetrahedra: both centres and an edge of the face.
  void stuff_cube(const std::array<int, 3>& cube) {
    if (!any_inside(cube)) return;
    const int center = lattice_.center(cube[0], cube[1], cube[2]);
    for (int axis = 0; axis < 3; ++axis) {
      if (cube[axis] + 1 >= lattice_.cells[axis]) continue;
      std::array<int, 3> next = cube;
      ++next[axis];
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      int ring[4];
      for (int i = 0; i < 4; ++i) {
        std::array<int, 3> corner = next;
        corner[u] += i == 1 || i == 2, corner[v] += i >= 2;
        ring[i] = lattice_.corner(corner[0], corner[1], corner[2]);
      }
      for (int i = 0; i < 4; ++i) trim({center, lattice_.center(next[0], next[1], next[2]), ring[i], ring[(i + 1) % 4]});
    }
  }

  /// Is anything of what stuff_cube would look at inside? Most cubes of a lattice around a slender body are empty.
  bool any_inside(const std::array<int, 3>& cube) const {
    for (int corner = 0; corner < 8; ++corner) {
      if (values_[lattice_.corner(cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2))] > 0) return true;
    }
    for (int axis = -1; axis < 3; ++axis) {
      std::array<int, 3> next = cube;
      if (axis >= 0 && ++next[axis] >= lattice_.cells[axis]) continue;
      if (values_[lattice_.center(next[0], next[1], next[2])] > 0) return true;
    }
    return false;
  }

  void trim(const Tetrahedron& tet) {
    std::array<int, 4> plus{}, zero{}, minus{};
    int pluses = 0, zeros = 0, minuses = 0;
    for (const int point : tet) {
      if (values_[point] > 0)
        plus[pluses++] = point;
      else if (values_[point] < 0)
        minus[minuses++] = point;
      else
        zero[zeros++] = point;
    }
    if (pluses == 0) return;
    if (minuses == 0) return emit({vertex(tet[0]), vertex(tet[1]), vertex(tet[2]), vertex(tet[3])});
    if (pluses == 1) {
      Tetrahedron kept = {vertex(plus[0])};
      for (int i = 0; i < zeros; ++i) kept[1 + i] = vertex(zero[i]);
      for (int i = 0; i < minuses; ++i) kept[1 + zeros + i] = cut(plus[0], minus[i]);
      return emit(kept);
    }
    if (zeros == 1) return emit_pyramid(plus[0], plus[1], minus[0], zero[0]);
    if (pluses == 3) return emit_three_plus(plus, minus[0]);
    emit_two_plus(plus, minus);
  }

  /// In the face (p, q, m) with only m outside, does the diagonal of what is left start at p (and end at the cut of q-m)?
  /// The answer looks at the face alone, so both tetrahedra that share it agree.
  bool diagonal_from(int p, int q, int m) const {
    const bool p_like_m = lattice_.is_corner(p) == lattice_.is_corner(m);
    const bool q_like_m = lattice_.is_corner(q) == lattice_.is_corner(m);
    // With one long edge cut, the diagonal ends at that cut: the other choice was measured to lose two degrees.
    if (p_like_m || q_like_m) return q_like_m;
    // Both cut edges are short: the parity rule, sec. 3 of the paper.
    const std::array<int, 3> at_p = lattice_.halves(p), at_m = lattice_.halves(m);
    int greater = 0;
    for (int axis = 0; axis < 3; ++axis) greater += at_m[axis] > at_p[axis];
    return greater % 2 == 0;
  }

  void emit_pyramid(int p, int q, int m, int apex) {
    const int vp = vertex(p), vq = vertex(q), cp = cut(p, m), cq = cut(q, m), top = vertex(apex);
    if (diagonal_from(p, q, m)) {
      emit({top, vp, vq, cq}), emit({top, vp, cq, cp});
    } else {
      emit({top, vp, vq, cp}), emit({top, vq, cq, cp});
    }
  }

  void emit_three_plus(const std::array<int, 4>& plus, int m) {
    const Triangle a = {vertex(plus[0]), vertex(plus[1]), vertex(plus[2])};
    const Triangle b = {cut(plus[0], m), cut(plus[1], m), cut(plus[2], m)};
    const std::array<bool, 3> forward = {diagonal_from(plus[0], plus[1], m), diagonal_from(plus[1], plus[2], m), diagonal_from(plus[2], plus[0], m)};
    for (const Tetrahedron& tet : split_prism(a, b, forward)) emit(tet);
  }

  void emit_two_plus(const std::array<int, 4>& plus, const std::array<int, 4>& minus) {
    const Triangle a = {vertex(plus[0]), cut(plus[0], minus[0]), cut(plus[0], minus[1])};
    const Triangle b = {vertex(plus[1]), cut(plus[1], minus[0]), cut(plus[1], minus[1])};
    const bool first = diagonal_from(plus[0], plus[1], minus[0]), second = diagonal_from(plus[0], plus[1], minus[1]);
    // The quad on the zero surface is ours alone: its better diagonal is taken.
    std::array<Tetrahedron, 3> best{};
    double best_angle = -1;
    for (const bool third : {true, false}) {
      const std::array<bool, 3> forward = {first, third, !second};
      if (forward[0] == forward[1] && forward[1] == forward[2]) continue;  // a cycle of diagonals cannot be filled
      const std::array<Tetrahedron, 3> tets = split_prism(a, b, forward);
      double angle = 1e300;
      for (const Tetrahedron& tet : tets) {
        const DihedralRange range = dihedral_range(result_.mesh.positions, tet);
        angle = std::min({angle, range.smallest, 180 - range.largest});
      }
      if (angle > best_angle) best_angle = angle, best = tets;
    }
    for (const Tetrahedron& tet : best) emit(tet);
  }

  /// forward[i]: the diagonal of the quad between edges i and i+1 runs from a[i] to b[i+1]. Not all three alike.
  static std::array<Tetrahedron, 3> split_prism(const Triangle& a, const Triangle& b, const std::array<bool, 3>& forward) {
    // Order the edges so that every diagonal runs from a at the earlier to b at the later edge.
    std::array<int, 3> rank{};
    for (int i = 0; i < 3; ++i) ++rank[forward[i] ? (i + 1) % 3 : i];
    std::array<int, 3> order{};
    for (int i = 0; i < 3; ++i) order[rank[i]] = i;
    const auto& [x, y, z] = order;
    return {Tetrahedron{a[x], a[y], a[z], b[z]}, Tetrahedron{a[x], a[y], b[y], b[z]}, Tetrahedron{a[x], b[x], b[y], b[z]}};
  }

  /// Only faces between three points of the zero surface can be outer ones, so few need to be sorted.
  void collect_boundary() {
    TetMesh shell;
    for (const Tetrahedron& tet : result_.mesh.tets) {
      int inner = 0;
      for (const int v : tet) inner += result_.lattice_point[v] >= 0 && values_[result_.lattice_point[v]] > 0;
      if (inner <= 1) shell.tets.push_back(tet);
    }
    for (const Triangle& face : boundary_faces(shell)) {
      const bool outer =
          std::all_of(face.begin(), face.end(), [&](int v) { return result_.lattice_point[v] < 0 || values_[result_.lattice_point[v]] == 0; });
      if (outer) result_.boundary.push_back(face);
    }
  }

  int vertex(int point) {
    if (vertex_of_[point] < 0) {
      const auto moved = warped_.find(point);
      vertex_of_[point] = add_vertex(moved == warped_.end() ? lattice_.position(point) : moved->second, point);
    }
    return vertex_of_[point];
  }
  int cut(int inside, int outside) {
    const auto [place, fresh] = cuts_.try_emplace(static_cast<uint64_t>(inside) << 32 | static_cast<uint32_t>(outside), 0);
    if (fresh) {
      const double share = values_[inside] / (values_[inside] - values_[outside]);
      place->second = add_vertex((1 - share) * lattice_.position(inside) + share * lattice_.position(outside), -1);
    }
    return place->second;
  }
  int add_vertex(const Vec3& position, int lattice_point) {
    result_.mesh.positions.push_back(position);
    result_.lattice_point.push_back(lattice_point);
    return static_cast<int>(result_.mesh.positions.size()) - 1;
  }
  void emit(Tetrahedron tet) {
    if (tet_volume(result_.mesh.positions, tet) < 0) std::swap(tet[2], tet[3]);
    result_.mesh.tets.push_back(tet);
  }

  const BccLattice& lattice_;
  std::vector<double>& values_;
  std::unordered_map<int, Vec3> warped_;    // looked up, never walked through
  std::unordered_map<uint64_t, int> cuts_;  // likewise
  std::vector<int> vertex_of_;
  Stuffing result_;
};

}  // namespace

std::array<int, 3> BccLattice::halves(int point) const {
  const bool even = is_corner(point);
  const int index = even ? point : point - corners();
  const int nx = cells[0] + even, ny = cells[1] + even, odd = even ? 0 : 1;
  return {2 * (index % nx) + odd, 2 * (index / nx % ny) + odd, 2 * (index / nx / ny) + odd};
}

Vec3 BccLattice::position(int point) const {
  const std::array<int, 3> at = halves(point);
  return origin + 0.5 * cell * Vec3(at[0], at[1], at[2]);
}

int BccLattice::at(const std::array<int, 3>& halves) const {
  for (int axis = 0; axis < 3; ++axis) {
    if (halves[axis] < 0 || halves[axis] > 2 * cells[axis]) return -1;
  }
  if (halves[0] % 2 == 0) return corner(halves[0] / 2, halves[1] / 2, halves[2] / 2);
  return center(halves[0] / 2, halves[1] / 2, halves[2] / 2);
}

Stuffing stuff(const BccLattice& lattice, std::vector<double> values) {
  return Stuffer(lattice, values).run();
}

}  // namespace crumple
