#pragma once

#include <vector>

#include "crumple/io/image.h"
#include "crumple/math/types.h"

namespace crumple::render {

/// One surface seen in a pixel. Light is kept apart from the colour of what it falls on, so that it can be smoothed without blurring
/// the colour: the surface shows albedo * light + gloss * shine.
struct Layer {
  Vec3f albedo = Vec3f::Zero();  // diffuse colour
  Vec3f light = Vec3f::Zero();   // what falls on it
  Vec3f gloss = Vec3f::Zero();   // mirror colour
  Vec3f shine = Vec3f::Zero();   // what it mirrors
  Vec3f normal = Vec3f::Zero();
  Vec3f point = Vec3f::Zero();
  float share = 0;        // part of the pixel's samples that hit it
  float grain = 1;        // the albedo varies by this factor, too finely to steer the smoothing
  float sharpness = 0;    // 0 dull .. 1 mirror: how little its shine may be blurred
  float light_noise = 0;  // standard deviation of the brightness of `light`
  float shine_noise = 0;

  Vec3f shown() const { return share * (grain * albedo.cwiseProduct(light) + gloss.cwiseProduct(shine)); }
};

/// A pixel shows background and haze, the surface most of its samples hit, and at an edge what lies behind or beside that. Edges stay
/// clean because the two surfaces are smoothed apart and only then added.
struct Pixel {
  Vec3f plain = Vec3f::Zero();  // background and haze
  Layer front;
};
struct EdgeLayer {
  int x, y;
  Layer layer;
};

struct Film {
  int width = 0, height = 0;
  float pixel_slope = 0;  // size of a pixel at distance 1
  Vec3f eye = Vec3f::Zero();
  std::vector<Pixel> pixels;                  // width * height, rows from the top
  std::vector<std::vector<EdgeLayer>> edges;  // second layers, by tile

  Film(int width_, int height_) : width(width_), height(height_), pixels(static_cast<size_t>(width_) * height_) {}
  Pixel& at(int x, int y) { return pixels[static_cast<size_t>(y) * width + x]; }
  const Pixel& at(int x, int y) const { return pixels[static_cast<size_t>(y) * width + x]; }
};

inline float brightness(const Vec3f& color) {
  return 0.2126f * color.x() + 0.7152f * color.y() + 0.0722f * color.z();
}

/// Smooths light and shine along surfaces and not across edges, the more the noisier they are. [Dammertz et al. 2010, Schied et al. 2017]
void denoise(Film& film);

/// Light to display: a filmic curve, sRGB, and a dither of half a step so that soft gradients show no bands.
io::Image develop(const Film& film);

/// The curve alone, for one colour: linear light to linear display.
Vec3f filmic(const Vec3f& light);

}  // namespace crumple::render
