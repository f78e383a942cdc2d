#pragma once

#include "crumple/math/types.h"

namespace crumple::render {

/// A soft sun and a dome of sky. All radiance is linear RGB; a white wall in full sun is about 1.
struct Light {
  Vec3f up = Vec3f::UnitY();
  Vec3f sun = Vec3f::UnitY();  // towards the sun
  float sun_radius = 0.050f;   // radians: a small softbox rather than the real sun, for soft shadow edges
  Vec3f sun_irradiance = Vec3f(3.95f, 3.66f, 3.22f);
  Vec3f background = Vec3f::Constant(0.8f);  // what the eye sees behind everything
};

/// What the sky sends from `direction`, the sun's disc left out: bright near the horizon and around the sun, bluer overhead.
Vec3f sky(const Light& light, const Vec3f& direction);

/// What the eye sees where there is nothing.
Vec3f background(const Light& light, const Vec3f& direction);

/// A cheap guess at the light a surface gets from sky and surroundings (irradiance / pi), for the second bounce.
Vec3f ambient(const Light& light, const Vec3f& normal);

}  // namespace crumple::render
