#pragma once

#include "crumple/math/types.h"

namespace crumple {

/// On which side of the line from a to b is c? 1: left (abc runs counter-clockwise), -1: right, 0: on it. Exact for the given numbers, so that
/// answers about different triples never contradict each other. [Shewchuk 1997]
int orientation(const Vec2& a, const Vec2& b, const Vec2& c);

/// Is c in the triangle or on its rim? The triangle runs counter-clockwise.
inline bool in_triangle(const Vec2& c, const Vec2& p, const Vec2& q, const Vec2& r) {
  return orientation(p, q, c) >= 0 && orientation(q, r, c) >= 0 && orientation(r, p, c) >= 0;
}

}  // namespace crumple
