#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// How a shape was moved as a whole, whatever else was done to it: the turn and shift that leave as much as possible of it in place
/// (least squares with weights that fade with distance, so a dent does not tilt the rest). `size` is that of the body.
Transform whole_motion(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double size);

/// Share of the points (by `counts`) that lie within `distance` of where they were.
double share_in_place(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double distance);

/// Whether the shape was moved rather than bent: next to nothing of it is where it was, a rigid motion explains most of how far it went,
/// and a good part is in place again without that motion.
bool was_moved(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double size);

}  // namespace crumple
