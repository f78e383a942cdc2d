#pragma once

#include <array>
#include <vector>

#include "crumple/geometry/isosurface.h"

namespace crumple {

using Quad = std::array<int, 4>;  // counter-clockwise from outside

/// A closed surface of quadrilaterals whose vertices find their places on a field's surface.
struct QuadSurface {
  std::vector<Vec3> positions;
  std::vector<Quad> quads;

  QuadSurface(std::vector<Vec3> positions, std::vector<Quad> quads);

  /// Moves vertices onto the surface, and `rounds` times towards the middle of those around them, along the surface. No vertex goes farther than
  /// a cell.
  void settle(const Field& field, double cell, int rounds);
  /// Each quadrilateral is cut where its halves are better shaped.
  TriMesh triangulated() const;

 private:
  Vec3 normal(size_t vertex) const;
  Vec3 middle_around(size_t vertex) const;

  std::vector<int> first_;  // #vertices + 1: where the quads around each begin in around_
  std::vector<int> around_;
};

}  // namespace crumple
