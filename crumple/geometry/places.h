#pragma once

#include <span>
#include <vector>

#include "crumple/math/types.h"

namespace crumple {

/// Points by place: those with exactly equal coordinates are one.
struct Places {
  std::vector<int> of;          // #points: its place, or -1 for one that is no number
  std::vector<Vec3> positions;  // #places, in ascending order of x, y, z
};
Places find_places(std::span<const Vec3> points);

/// A fixed order of places, by x, y, z.
inline bool comes_first(const Vec3& a, const Vec3& b) {
  if (a.x() != b.x()) return a.x() < b.x();
  return a.y() != b.y() ? a.y() < b.y() : a.z() < b.z();
}

}  // namespace crumple
