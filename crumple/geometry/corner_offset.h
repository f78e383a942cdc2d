#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// The step that moves a corner by 1 to the inside of all planes through it, by exactly 1 where up to three independent ones meet; no longer than
/// `longest`. Normals are of unit length and point out.
Vec3 corner_offset(std::span<const Vec3> normals, double longest);

}  // namespace crumple
