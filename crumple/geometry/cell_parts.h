#pragma once

#include <span>
#include <vector>

#include "crumple/geometry/cells.h"
#include "crumple/geometry/convex_polyhedron.h"

namespace crumple {

// What all makers of cells share: they cut the box into solids whose faces are tagged by plane and side of it.

/// Largest length or coordinate.
double scale_of(const Bounds& box);
/// How far rounding may move a corner of a solid in the box.
double rounding_of(const Bounds& box);

inline int side_tag(int plane, bool flipped) {
  return 2 * plane + (flipped ? 1 : 0);
}
inline int plane_of_tag(int tag) {
  return tag / 2;
}
inline Linear side_of_tag(std::span<const Linear> planes, int tag) {
  const Linear& plane = planes[static_cast<size_t>(plane_of_tag(tag))];
  return tag % 2 == 0 ? plane : Linear(-plane);
}

/// Tags of the faces that are not the box's, ascending, each once.
std::vector<int> tags_of(const ConvexPolyhedron<3>& solid);

HalfSpace half_space(const Linear& side, int beyond);
/// A cell that misses the box.
ConvexCell empty_cell(const Bounds& box);

}  // namespace crumple
