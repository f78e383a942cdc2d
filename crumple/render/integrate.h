#pragma once

#include "crumple/render/camera.h"
#include "crumple/render/film.h"
#include "crumple/render/light.h"
#include "crumple/render/tracing.h"

namespace crumple::render {

/// Everything the samples of a picture share. Places are in metres from the camera's target.
struct Shot {
  const Tracer& tracer;
  Light light;
  Vec3f eye;
  Vec3f right, up, forward;   // right and up are scaled to half the picture at distance 1
  float haze_near, haze_far;  // metres from the target: where the haze begins, and how soon it hides everything
  float grain_size;           // metres
  float pixel_slope;          // size of a pixel at distance 1
  int width, height;
  int samples;
};

Shot make_shot(const Tracer& tracer, const Camera& camera, const Light& light, int width, int height, int samples);

/// Traces all samples of one pixel: what is there, the sun and the sky on it with one bounce, and what it mirrors.
struct PixelLayers {
  Pixel pixel;
  Layer second;  // its share is 0 except at edges
};
PixelLayers integrate_pixel(const Shot& shot, int x, int y);

}  // namespace crumple::render
