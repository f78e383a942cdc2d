#include "crumple/geometry/cut_tets.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/geometry/convex_polyhedron.h"
#include "crumple/geometry/corner_offset.h"
#include "crumple/geometry/snap_to_sides.h"

// Corners within slack of a plane are moved onto it, once for the whole mesh; a plane in a tetrahedron is then the linear function with the distances
// of the moved corners as its values. All cells cut a tetrahedron by the same functions up to their sign, and neighbours agree on their common face,
// so nothing overlaps or gapes. Barycentric coordinates found this way are used in the tetrahedron as it is.

namespace crumple {
namespace {

using Vec4 = Eigen::Vector4d;

// Of the largest coordinate: what rounding does to the distance of a corner from a plane.
constexpr double kDistanceRounding = 7e-15;
// Of the largest distance of a corner from a plane: what rounding does to points that earlier cuts have made.
constexpr double kRounding = 2e-15;
// Of the same: nearer points lie on the plane when it is asked which cuts a corner touches.
constexpr double kTouch = 1e-12;
// Of the tetrahedron's volume: less is rounding.
constexpr double kSmallestShare = 1e-15;
constexpr size_t kGrain = 64;

/// A side that is not clear of the tetrahedron.
struct NearSide {
  int side = 0;
  Vec4 distances = Vec4::Zero();  // of the corners, m
  double largest = 0;             // of their sizes
  bool cuts() const { return distances.maxCoeff() > 0; }
};

std::array<double, 4> as_array(const Vec4& v) {
  return {v[0], v[1], v[2], v[3]};
}

double scale_of(const TetMesh& mesh) {
  double scale = 0;
  for (const Vec3& position : mesh.positions) scale = std::max(scale, position.cwiseAbs().maxCoeff());
  return scale;
}

/// The box around a cell within the mesh's box, and a little more; empty if it misses that.
Bounds cell_bounds(const ConvexCell& cell, const Bounds& box, double margin) {
  ConvexPolyhedron<3> solid = box_polyhedron({box.low - Vec3::Constant(margin), box.high + Vec3::Constant(margin)});
  for (const HalfSpace& side : cell.sides) {
    Linear moved;
    moved << side.normal, -side.offset - margin;
    if (!solid.clip(moved, 0, 0)) break;
  }
  return bounds_of(solid.points);
}

/// One tetrahedron of the mesh: where barycentric coordinates are, and how large its faces.
struct TetShape {
  TetShape(const TetMesh& mesh, std::span<const Vec3> moved_positions, size_t tet) {
    for (size_t i = 0; i < 4; ++i) {
      const auto v = static_cast<size_t>(mesh.tets[tet][i]);
      corners[i] = mesh.positions[v], moved[i] = moved_positions[v];
      bounds.add(corners[i]);
    }
    const double signed_volume = tet_volume(mesh.positions, mesh.tets[tet]);
    volume = std::abs(signed_volume), inverted = signed_volume < 0;
  }
  Vec3 place(const Vec4& b) const { return b[0] * corners[0] + b[1] * corners[1] + b[2] * corners[2] + b[3] * corners[3]; }
  double face_area(int face) const {
    const auto& [i, j, k] = kTetFaces[face];
    return 0.5 * (corners[static_cast<size_t>(j)] - corners[static_cast<size_t>(i)])
                     .cross(corners[static_cast<size_t>(k)] - corners[static_cast<size_t>(i)])
                     .norm();
  }

  std::array<Vec3, 4> corners, moved;
  Bounds bounds;
  double volume = 0;
  bool inverted = false;
};

/// Distances of the moved corners from a side; what may be rounding is 0.
Vec4 distances_from(const TetShape& shape, const HalfSpace& side, double rounding) {
  Vec4 distances;
  for (int i = 0; i < 4; ++i) {
    const double d = side.normal.dot(shape.moved[static_cast<size_t>(i)]) - side.offset;
    distances[i] = std::abs(d) <= rounding ? 0 : d;
  }
  if ((distances.array() != 0).any()) return distances;
  // All in the plane: it is on the side where most of it really is, or else behind the plane as seen from the positive axes.
  const Vec3& n = side.normal;
  const double really = n.dot(shape.corners[0] + shape.corners[1] + shape.corners[2] + shape.corners[3]) - 4 * side.offset;
  const double first = n.x() != 0 ? n.x() : n.y() != 0 ? n.y() : n.z();
  return Vec4::Constant(really != 0 ? really : -first);
}

/// Area of a polygon in a face of the tetrahedron, as a share of that face.
double share_of_face(const ConvexPolyhedron<4>& solid, const ConvexPolyhedron<4>::Face& face) {
  const int u = kTetFaces[face.tag][0], v = kTetFaces[face.tag][1];
  const auto point = [&](int i) -> const Vec4& { return solid.points[static_cast<size_t>(solid.corners[static_cast<size_t>(i)])]; };
  const Vec4& a = point(face.begin);
  double twice = 0;
  for (int i = face.begin + 1; i + 1 < face.end; ++i) {
    const Vec4 b = point(i) - a, c = point(i + 1) - a;
    twice += b[u] * c[v] - b[v] * c[u];
  }
  return std::clamp(std::abs(twice), 0.0, 1.0);
}

class Cutter {
 public:
  Cutter(const TetMesh& mesh, std::span<const ConvexCell> cells, double slack) : mesh_(mesh), cells_(cells) {
    const Bounds box = bounds_of(mesh.positions);
    const double scale = scale_of(mesh);
    rounding_ = kDistanceRounding * scale;
    slack = std::max(slack, rounding_);
    bounds_.resize(cells.size());
    parallel_for(cells.size(), 16, [&](size_t begin, size_t end) {
      for (size_t c = begin; c < end; ++c) bounds_[c] = cell_bounds(cells[c], box, 4 * slack + 1e-9 * scale);
    });
    moved_ = snap_to_sides(mesh, cells, bounds_, slack);
  }

  void cut_some(size_t begin, size_t end, std::vector<Fragment>& out) const {
    Bounds all;
    for (size_t t = begin; t < end; ++t) {
      for (const int v : mesh_.tets[t]) all.add(mesh_.positions[static_cast<size_t>(v)]);
    }
    std::vector<size_t> candidates;
    for (size_t c = 0; c < cells_.size(); ++c) {
      if (overlap(all, bounds_[c])) candidates.push_back(c);
    }
    std::vector<NearSide> near;
    for (size_t t = begin; t < end; ++t) {
      const TetShape shape(mesh_, moved_, t);
      for (const size_t c : candidates) {
        if (overlap(shape.bounds, bounds_[c]) && find_near_sides(shape, cells_[c], near)) cut(shape, t, c, near, out);
      }
    }
  }

 private:
  /// False if the cell misses the tetrahedron.
  bool find_near_sides(const TetShape& shape, const ConvexCell& cell, std::vector<NearSide>& near) const {
    near.clear();
    for (size_t s = 0; s < cell.sides.size(); ++s) {
      const Vec4 distances = distances_from(shape, cell.sides[s], rounding_);
      if (distances.minCoeff() >= 0) return false;
      if (distances.maxCoeff() >= 0) near.push_back({static_cast<int>(s), distances, distances.cwiseAbs().maxCoeff()});
    }
    return true;
  }

  void cut(const TetShape& shape, size_t tet, size_t cell, std::vector<NearSide>& near, std::vector<Fragment>& out) const {
    Fragment fragment;
    fragment.tet = static_cast<int>(tet), fragment.cell = static_cast<int>(cell);
    if (near.empty()) {
      fragment.whole = true;
      fill_whole(shape, fragment);
    } else {
      ConvexPolyhedron<4> solid = tet_polyhedron();
      const bool divided = clip_all(near, solid);
      if (solid.empty()) return;
      if (divided) {
        const SolidMeasure size = measure(solid);
        if (!(6 * size.volume > kSmallestShare)) return;
        fragment.volume = 6 * size.volume * shape.volume;
        fragment.center = {1 - size.center.sum(), size.center[0], size.center[1], size.center[2]};
      } else {
        fill_whole(shape, fragment);
      }
      add_faces(shape, solid, near, divided, fragment);
      add_corners(solid, cells_[cell], near, fragment);
    }
    out.push_back(std::move(fragment));
  }

  static void fill_whole(const TetShape& shape, Fragment& fragment) {
    fragment.volume = shape.volume;
    fragment.center = {0.25, 0.25, 0.25, 0.25};
    for (int face = 0; face < 4; ++face) fragment.face_areas[static_cast<size_t>(face)] = shape.face_area(face);
  }

  /// Planes in an order that does not depend on the cell, so that cells around an edge find the same corners on it. Tags are 4 + place in `near`.
  static bool clip_all(std::vector<NearSide>& near, ConvexPolyhedron<4>& solid) {
    std::stable_sort(near.begin(), near.end(), [](const NearSide& a, const NearSide& b) {
      const Vec4 x = a.distances.cwiseAbs(), y = b.distances.cwiseAbs();
      return std::lexicographical_compare(x.data(), x.data() + 4, y.data(), y.data() + 4);
    });
    bool divided = false;
    for (size_t i = 0; i < near.size() && !solid.empty(); ++i) {
      if (!near[i].cuts()) continue;
      divided = true;
      solid.clip(near[i].distances, kRounding * near[i].largest, 4 + static_cast<int>(i));
    }
    return divided;
  }

  static void add_faces(const TetShape& shape, const ConvexPolyhedron<4>& solid, const std::vector<NearSide>& near, bool divided,
                        Fragment& fragment) {
    std::array<double, 4> shares = {};
    for (const auto& face : solid.faces) {
      if (face.tag >= 4) {
        add_cut(shape, solid, face, near[static_cast<size_t>(face.tag - 4)].side, -1, fragment);
        continue;
      }
      if (divided) shares[static_cast<size_t>(face.tag)] += share_of_face(solid, face);
      const auto along = std::find_if(near.begin(), near.end(), [&](const NearSide& side) { return lies_in(face.tag, side); });
      if (along != near.end()) add_cut(shape, solid, face, along->side, face.tag, fragment);
    }
    for (int face = 0; divided && face < 4; ++face) {
      fragment.face_areas[static_cast<size_t>(face)] = shares[static_cast<size_t>(face)] * shape.face_area(face);
    }
  }

  static bool lies_in(int face, const NearSide& side) {
    const auto& [i, j, k] = kTetFaces[face];
    return side.distances[i] == 0 && side.distances[j] == 0 && side.distances[k] == 0;
  }

  static void add_cut(const TetShape& shape, const ConvexPolyhedron<4>& solid, const ConvexPolyhedron<4>::Face& face, int side, int tet_face,
                      Fragment& fragment) {
    FragmentFace cut{side, tet_face, {}};
    for (int i = face.begin; i < face.end; ++i) {
      const Vec3 place = shape.place(solid.points[static_cast<size_t>(solid.corners[static_cast<size_t>(i)])]);
      if (cut.loop.empty() || (cut.loop.back() != place && cut.loop.front() != place)) cut.loop.push_back(place);
    }
    if (cut.loop.size() < 3) return;
    if (shape.inverted) std::reverse(cut.loop.begin(), cut.loop.end());
    fragment.cuts.push_back(std::move(cut));
  }

  void add_corners(const ConvexPolyhedron<4>& solid, const ConvexCell& cell, const std::vector<NearSide>& near, Fragment& fragment) const {
    std::vector<Vec4> corners;
    for (const Vec4& point : solid.points) {
      const auto is_same = [&](const Vec4& other) { return (other - point).cwiseAbs().maxCoeff() < kTouch; };
      if (std::none_of(corners.begin(), corners.end(), is_same)) corners.push_back(point);
    }
    std::vector<Vec3> normals;
    for (const Vec4& corner : corners) {
      normals.clear();
      for (const NearSide& side : near) {
        const HalfSpace& plane = cell.sides[static_cast<size_t>(side.side)];
        if (is_cut(plane, cell) && std::abs(side.distances.dot(corner)) <= kTouch * side.largest) normals.push_back(plane.normal);
      }
      fragment.corners.push_back(as_array(corner));
      fragment.inward.push_back(corner_offset(normals, kLongestInward));
    }
  }

  bool is_cut(const HalfSpace& side, const ConvexCell& cell) const {
    return side.beyond < 0 || static_cast<size_t>(side.beyond) >= cells_.size() || cells_[static_cast<size_t>(side.beyond)].label != cell.label;
  }

  const TetMesh& mesh_;
  std::span<const ConvexCell> cells_;
  std::vector<Bounds> bounds_;  // #cells
  std::vector<Vec3> moved_;     // #vertices: on the planes that they are near to
  double rounding_ = 0;         // m
};

}  // namespace

std::vector<Fragment> cut_tets(const TetMesh& mesh, std::span<const ConvexCell> cells, double slack) {
  const Cutter cutter(mesh, cells, slack);
  std::vector<std::vector<Fragment>> chunks((mesh.tets.size() + kGrain - 1) / kGrain);
  parallel_for(mesh.tets.size(), kGrain, [&](size_t begin, size_t end) { cutter.cut_some(begin, end, chunks[begin / kGrain]); });
  std::vector<Fragment> fragments;
  size_t count = 0;
  for (const auto& chunk : chunks) count += chunk.size();
  fragments.reserve(count);
  for (auto& chunk : chunks) std::move(chunk.begin(), chunk.end(), std::back_inserter(fragments));
  return fragments;
}

}  // namespace crumple
