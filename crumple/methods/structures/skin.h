#pragma once

#include <vector>

#include "crumple/material/section.h"
#include "crumple/math/types.h"

/// Outlines of sections, from which bars are drawn.
namespace crumple::structures {

/// A loop of points (width, height) that runs counter-clockwise seen against the bar's axis, that is with the material on its left.
struct Loop {
  std::vector<Vec2> points;
  bool smooth = false;  // round: neighbouring faces share their vertices
};

struct Profile {
  std::vector<Loop> loops;          // the outline, and that of a hollow (which runs the other way)
  std::vector<Vec2> cap;            // points of the end face
  std::vector<Triangle> triangles;  // of the end face that looks along the axis
};

Profile profile_of(const Section& section);

}  // namespace crumple::structures
