#pragma once

#include "crumple/world/state.h"

/// Bodies of matter, and their contacts with rigid parts.
namespace crumple {

/// Steps matter against the current rigid parts; impulses change the motion of the parts and become loads of the step.
void step_matter(WorldState& w);

/// Marks the obstacle of a part as stale, because the part is new or its shape has changed. It is rebuilt lazily, when matter comes
/// near. Bodies without a solid never change their shape.
void mark_shape_stale(WorldState& w, int body, int part);

}  // namespace crumple
