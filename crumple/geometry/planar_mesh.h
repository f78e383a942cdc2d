#pragma once

#include <array>
#include <span>
#include <vector>

#include "crumple/geometry/orientation.h"
#include "crumple/math/types.h"

namespace crumple {

/// Flips inner edges until triangles are as round as their rim allows (constrained Delaunay). Triangles without area or face down go where a flip can
/// mend them. The rim stays as it is.
void make_delaunay(std::span<const Vec2> points, std::vector<Triangle>& triangles);

/// Divides inner edges longer than `edge` in the middle, longest first, and keeps the triangles Delaunay. Adds at most `most` points, and returns
/// between which two each was put.
std::vector<std::array<int, 2>> divide_inside(std::vector<Vec2>& points, std::vector<Triangle>& triangles, double edge, size_t most);

/// Puts further points into the triangles and keeps them Delaunay; those outside, on the rim or on another point are left out. Returns the number of each
/// in `points`, or -1.
std::vector<int> insert_points(std::vector<Vec2>& points, std::vector<Triangle>& triangles, std::span<const Vec2> further);

}  // namespace crumple
