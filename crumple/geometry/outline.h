#pragma once

#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"
#include "crumple/geometry/rings.h"

namespace crumple {

struct OutlineSettings {
  double cut = 0.5;        // alpha from which on a pixel is painted
  double grow = 1;         // pixels that the outline lies outside of that, so that soft rims are inside
  double edge = 0;         // pixels between points; 0: a share of the size
  double smallest = 16;    // pixels: smaller islands are dropped
  int longest_side = 1024; // larger pictures are looked at in this size
};

/// The outlines of what is painted in a picture, in its pixels: x to the right and y up from the bottom left corner. Paint is on the left of all rings.
struct PictureOutline {
  std::vector<Vec2> points;
  std::vector<PlanarRegion> regions;  // islands with their holes
  bool is_sound = true;               // false: it is so thin that rings cross
  double edge = 0;                    // pixels between points
  int dropped = 0;                    // islands that were too small
};

/// Traces the paint of a picture. Corners stay; between them points are evenly spaced. Errors say what is wrong, without the name of a file.
Result<PictureOutline> trace_outline(const Picture& picture, const OutlineSettings& settings = {});

/// A triangulation in the plane.
struct FlatMesh {
  std::vector<Vec2> points;
  std::vector<Triangle> triangles;  // counter-clockwise
};

/// Triangles of even size in the regions, with a point at each of the `wanted` places that lies inside, as far as rims and other points allow.
FlatMesh mesh_outline(const PictureOutline& outline, const std::vector<Vec2>& wanted = {});

/// The smallest angle of all triangles, degrees.
double smallest_angle(const FlatMesh& mesh);

}  // namespace crumple
