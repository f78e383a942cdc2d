#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crumple/geometry/mesh.h"
#include "crumple/methods/clusters/surface_tree.h"

namespace crumple::clusters {

/// Side of a crack.
struct CrackSide {
  int32_t crack = 0;
  int32_t side = 0;  // -1: where normal . x < offset, 1: beyond
};

/// A plane to divide with. Walls merely divide; cracks may open.
struct Divider {
  Vec3 normal = Vec3::UnitX();
  double offset = 0;
  int32_t crack = -1;  // -1: a wall
};

/// A body's inside as cells that share their faces. Faces are polygons that meet edge to edge everywhere: an edge is divided in all of its
/// faces, so any set of cells is enclosed by faces without a gap.
class Solid {
 public:
  static constexpr int32_t kSkin = -1;  // cut of a face of the body's own surface
  /// An edge of a face from one place to another; on the skin with the marks there.
  struct Side {
    int32_t a, b;
    int32_t mark_a = -1, mark_b = -1;
  };
  struct Face {
    std::vector<Side> rim;            // counter-clockwise from `outer`, in no order; may be several rings, and holes
    Vec3 normal = Vec3::UnitX();      // towards `outer`
    int32_t inner = 0, outer = -1;    // cells; outer is -1 beyond the skin
    int32_t cut = kSkin;              // 2 crack, or 2 number + 1 of a wall
    std::vector<Triangle> triangles;  // of places, made lazily; empty after the rim has changed
  };
  /// A corner as it is drawn: an artist's vertex, or one between two others.
  struct Mark {
    int32_t place = 0;
    int32_t a = -1, b = -1;  // marks; -1: the artist's
    float share = 0;         // of b
  };
  struct Cell {
    std::vector<int32_t> faces;
    std::vector<int32_t> particles;  // that lie in it
    std::vector<CrackSide> sides;    // of the cracks that it was cut by, ascending
    Vec3 center = Vec3::Zero();      // of mass
    double volume = 0;               // m^3
    int32_t node = 0;
  };
  /// Cells were divided in turn: a tree. Leaves have a cell.
  struct Node {
    Bounds box;
    int32_t cell = -1;
    int32_t low = -1, high = -1;
  };

  Solid() = default;
  /// `same`: the first vertex at each vertex's position. Triangles must be closed; all particles lie in the single cell.
  Solid(const TriMesh& surface, std::span<const int> same, std::span<const Vec3> particles);

  const std::vector<Vec3>& places() const { return places_; }
  const std::vector<Face>& faces() const { return faces_; }
  const std::vector<Cell>& cells() const { return cells_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Mark>& marks() const { return marks_; }
  double area_of(int face) const;
  /// Triangles of places that cover a face. Not for the same face on several threads at once.
  const std::vector<Triangle>& triangles_of(int face);
  /// Takes over the triangles of unchanged faces from a copy of this solid that was divided further.
  void learn_triangles(const Solid& finer);
  const std::vector<int32_t>& faces_at(int place) const { return around_[static_cast<size_t>(place)]; }
  int cell_of(int particle) const { return cell_of_[static_cast<size_t>(particle)]; }

  /// Divides a cell by a plane; corners nearer to it than `slack` count as on it. The part beyond becomes a new cell. False if the plane misses it.
  bool divide(int cell, const Divider& by, double slack);
  /// Divides a cell with several particles between them. False if it has less than two (particles without room in it are dropped).
  bool divide_between_particles(int cell, double slack);

 private:
  int divide_edge(int a, int b, double share);
  int mark_between(int a, int b, int place, double share, std::vector<std::array<int, 3>>& made);
  void divide_crossing_edges(int cell, double slack);
  int divide_face(int face, const Vec3& normal, double slack);
  int add_face(Face face);
  void close(std::vector<Side> rim, const Divider& by, int below, int beyond, int32_t cut);
  void share_particles(const Divider& by, int below, int beyond);
  void branch(int below, int beyond);
  void settle(int cell);
  std::vector<Triangle> triangulate(const Face& face) const;
  double height(int place, const Divider& by) const { return by.normal.dot(places_[static_cast<size_t>(place)]) - by.offset; }

  std::vector<Vec3> places_;
  std::vector<std::vector<int32_t>> around_;  // #places: faces
  std::vector<Face> faces_;
  std::vector<Mark> marks_;
  std::vector<Cell> cells_;
  std::vector<Node> nodes_;
  std::vector<Vec3> particles_;
  std::shared_ptr<const WallTree> tree_;
  std::vector<int32_t> cell_of_;  // #particles
  std::vector<double> heights_;   // #places, scratch
  int32_t walls_ = 0;
};

}  // namespace crumple::clusters
