#pragma once

#include <span>

#include "crumple/geometry/frame.h"
#include "crumple/render/camera.h"

/// From where a shot shows its damage best.
namespace crumple::cli {

/// How much of a picture shows a body, and how much of that its damage.
struct SeenShare {
  double body = 0;    // of the pixels
  double damage = 0;  // of the pixels, each weighted by the way that its point has moved, over the greatest, to the fourth power: the deepest counts
};

/// What a camera sees of a body in a frame, by a coarse picture.
SeenShare seen_share(const Frame& frame, int body, const render::Camera& camera);

/// The camera that shows most of the body and of its damage in `tiles`, with the body in view in all of `framed`.
render::Camera find_view(std::span<const Frame> framed, std::span<const Frame> tiles, int body);

/// The greatest way of a vertex from its rest place in the body's frame, m.
double deepest(const Frame& frame, int body);
/// The middle of the box around a body.
Vec3 middle_of(const Frame& frame, int body);

}  // namespace crumple::cli
