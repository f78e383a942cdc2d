#include "crumple/render/film.h"

#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"

namespace crumple::render {
namespace {

float encode_srgb(float linear) {
  return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

/// Noise in -0.5 .. 0.5 whose neighbours differ as much as they can: interleaved gradient noise [Jimenez 2014].
float dither(int x, int y) {
  const float wave = 0.06711056f * static_cast<float>(x) + 0.00583715f * static_cast<float>(y);
  const float value = 52.9829189f * (wave - std::floor(wave));
  return value - std::floor(value) - 0.5f;
}

uint8_t to_byte(float encoded, float noise) {
  return static_cast<uint8_t>(std::clamp(255 * encoded + noise + 0.5f, 0.0f, 255.0f));
}

std::vector<Vec3f> add_layers(const Film& film) {
  std::vector<Vec3f> light(film.pixels.size());
  for (size_t i = 0; i < light.size(); ++i) light[i] = film.pixels[i].plain + film.pixels[i].front.shown();
  for (const auto& tile : film.edges) {
    for (const EdgeLayer& edge : tile) light[static_cast<size_t>(edge.y) * film.width + edge.x] += edge.layer.shown();
  }
  return light;
}

}  // namespace

Vec3f filmic(const Vec3f& light) {
  // A rational curve with a gentle toe and a long shoulder, in the shape of photographic print stock [fit by Narkowicz 2015].
  Vec3f out;
  for (int i = 0; i < 3; ++i) {
    const float x = std::clamp(0.74f * light[i], 0.0f, 100.0f);
    out[i] = std::min(1.0f, x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f));
  }
  return out;
}

io::Image develop(const Film& film) {
  io::Image image(film.width, film.height);
  const std::vector<Vec3f> light = add_layers(film);
  parallel_for(static_cast<size_t>(film.height), 8, [&](size_t begin, size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < film.width; ++x) {
        const Vec3f& seen = light[static_cast<size_t>(y) * film.width + x];
        const Vec3f shown = filmic(seen.allFinite() ? seen : Vec3f(Vec3f::Zero()));
        for (int i = 0; i < 3; ++i) image.pixel(x, y)[i] = to_byte(encode_srgb(shown[i]), 0.6f * dither(x, y));
      }
    }
  });
  return image;
}

}  // namespace crumple::render
