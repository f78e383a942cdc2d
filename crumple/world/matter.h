#pragma once

#include "crumple/world/state.h"

/// Bodies of matter, and what they and rigid parts do to each other.
namespace crumple {

/// Against the parts as they stand; pushes become motion of the parts and loads of the step.
void step_matter(WorldState& w);

/// The shape of a part has changed, or the part has just come: it is looked at again when matter comes near. What has no inside keeps its shape for ever.
void mark_shape_stale(WorldState& w, int body, int part);

}  // namespace crumple
