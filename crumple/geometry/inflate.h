#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/bvh.h"
#include "crumple/geometry/tet_mesh.h"
#include "crumple/geometry/winding.h"

namespace crumple {

/// How far points lie outside the body that a closed boundary encloses.
class OutsideTest {
 public:
  /// Keeps references to both.
  OutsideTest(const std::vector<Vec3>& positions, const std::vector<Triangle>& boundary);

  /// The nearest place of the boundary for each point; its distance is 0 for points inside. Points nearer than `near` keep their distance on both sides.
  std::vector<TriangleTree::Hit> look(std::span<const Vec3> points, double near = 0) const;

 private:
  const std::vector<Vec3>& positions_;
  const std::vector<Triangle>& boundary_;
  TriangleTree tree_;
};

/// Moves vertices of the boundary outward, no farther than needed, until the points lie inside or less than `slack` outside. Tetrahedra
/// keep dihedral angles between 10 and 163 degrees. Returns the points that stay outside.
class Inflater {
 public:
  Inflater(TetMesh& mesh, const std::vector<Triangle>& boundary, double cell, double slack);
  std::vector<Vec3> run(const std::vector<Vec3>& points, int passes);

 private:
  struct Outside {
    Vec3 point;
    TriangleTree::Hit hit;
  };
  std::vector<Outside> outside_of(const std::vector<Vec3>& points) const;  // farthest first
  bool snap(const Outside& outside);
  void pull(const Outside& outside);
  bool try_move(int vertex, const Vec3& to);
  bool shapes_are_good(int vertex) const;

  TetMesh& mesh_;
  const std::vector<Triangle>& boundary_;
  double cell_, slack_;
  std::vector<int> first_, tets_;  // tetrahedra of each boundary vertex: tets_[first_[v] .. first_[v + 1])
  std::vector<Vec3> start_;        // #vertices
  std::vector<char> snapped_;      // #vertices
};

}  // namespace crumple
