#pragma once

#include "crumple/geometry/mesh.h"

#include <span>
#include <vector>

namespace crumple::generator {

/// One point of an outline that is turned about an axis: its distance from the axis, its height, and whether the surface has
/// an edge there.
struct ProfilePoint {
  double radius = 0, height = 0;
  bool crease = false;
};

/// Adds the surface that an outline sweeps when turned about the upright axis through `centre`. The outline starts and ends on
/// the axis and runs upwards on the outside; vertices are doubled at its creases.
void add_turned(TriMesh& mesh, std::span<const ProfilePoint> outline, const Vec3& centre, int sectors);

/// Adds a beam: a box with narrow bevels, of cells no longer than `cell` so that it can bend.
void add_beam(TriMesh& mesh, const Transform& place, const Vec3& size, double bevel, double cell);

}  // namespace crumple::generator
