#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/render/film.h"

namespace crumple::render {
namespace {

constexpr int kRounds = 4;                                          // reach: 2 * (1 + 2 + 4 + 8) pixels
constexpr float kKernel[3] = {3.0f / 8, 1.0f / 4, 1.0f / 16};       // a spline, as in the a-trous transform

/// What of a pixel steers the smoothing; does not change from round to round.
struct Guide {
  Vec3f normal, point, albedo;
  float footprint;                // size of the pixel on what it shows
  float cover;
  float sharpness;
};

/// What is smoothed.
struct Values {
  Vec3f light, shine;
  float light_noise, shine_noise;
};

/// Close to exp(-x), and exactly zero beyond 8.
float fade(float x) {
  const float base = std::max(0.0f, 1 - 0.125f * x);
  const float squared = base * base, fourth = squared * squared;
  return fourth * fourth;
}

Guide guide_of(const Film& film, const Pixel& pixel) {
  const float length = pixel.normal.norm();
  return {length > 1e-6f ? Vec3f(pixel.normal / length) : Vec3f::Zero(), pixel.point, pixel.albedo + pixel.gloss,
          film.pixel_slope * (pixel.point - film.eye).norm(), pixel.cover, pixel.sharpness};
}

/// How much of two pixels shows the same surface: 0 .. 1.
float kinship(const Guide& a, const Guide& b, float apart) {
  const float bend = std::max(0.0f, 1 - a.normal.dot(b.normal));
  const float off_plane = std::abs(a.normal.dot(b.point - a.point)) / (a.footprint * (0.5f + 0.35f * apart));
  const float tint = (a.albedo - b.albedo).cwiseAbs().sum();
  return fade(60 * bend + off_plane + 6 * tint + 8 * std::abs(a.cover - b.cover));
}

struct Smoother {
  int width, height;
  std::vector<Guide> guides;
  std::vector<Values> from, to;

  /// Noise is itself noisy; its neighbourhood knows better.
  void settle_noise(int y);
  void smooth_row(int y, int step);
  void smooth_pixel(int x, int y, int step);
};

void Smoother::settle_noise(int y) {
  for (int x = 0; x < width; ++x) {
    float light = 0, shine = 0, total = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
        const Values& other = from[static_cast<size_t>(y + dy) * width + x + dx];
        const float weight = kKernel[std::abs(dx)] * kKernel[std::abs(dy)];
        light += weight * other.light_noise, shine += weight * other.shine_noise, total += weight;
      }
    }
    Values& here = to[static_cast<size_t>(y) * width + x];
    here = from[static_cast<size_t>(y) * width + x];
    here.light_noise = light / total, here.shine_noise = shine / total;
  }
}

void Smoother::smooth_pixel(int x, int y, int step) {
  const size_t center = static_cast<size_t>(y) * width + x;
  const Guide& guide = guides[center];
  const Values& here = from[center];
  const float light_scale = 1 / (2.0f * here.light_noise + 0.004f), shine_scale = 1 / (2.0f * here.shine_noise + 0.004f);
  const float light_here = brightness(here.light), shine_here = brightness(here.shine);
  const float blunt = step <= 2 ? 1.0f : std::max(0.0f, 1 - 1.5f * guide.sharpness);
  const float own = kKernel[0] * kKernel[0];
  Vec3f light = own * here.light, shine = own * here.shine;
  float light_total = own, shine_total = own;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const int u = x + step * dx, v = y + step * dy;
      if ((dx == 0 && dy == 0) || u < 0 || u >= width || v < 0 || v >= height) continue;
      const size_t index = static_cast<size_t>(v) * width + u;
      if (guides[index].cover == 0) continue;
      const float apart = static_cast<float>(step * std::max(std::abs(dx), std::abs(dy)));
      const float weight = kKernel[std::abs(dx)] * kKernel[std::abs(dy)] * kinship(guide, guides[index], apart);
      if (weight < 1e-4f) continue;
      const Values& other = from[index];
      const float light_weight = weight * fade(std::abs(brightness(other.light) - light_here) * light_scale);
      const float shine_weight = blunt * weight * fade(std::abs(brightness(other.shine) - shine_here) * shine_scale);
      light += light_weight * other.light, light_total += light_weight;
      shine += shine_weight * other.shine, shine_total += shine_weight;
    }
  }
  // What has been averaged is less noisy for the next, wider round.
  to[center] = {light / light_total, shine / shine_total, here.light_noise * std::sqrt(own / light_total),
                here.shine_noise * std::sqrt(own / shine_total)};
}

void Smoother::smooth_row(int y, int step) {
  for (int x = 0; x < width; ++x) {
    const size_t index = static_cast<size_t>(y) * width + x;
    if (guides[index].cover > 0) {
      smooth_pixel(x, y, step);
    } else {
      to[index] = from[index];
    }
  }
}

}  // namespace

void denoise(Film& film) {
  Smoother smoother{film.width, film.height, {}, {}, {}};
  for (const Pixel& pixel : film.pixels) {
    smoother.guides.push_back(guide_of(film, pixel));
    smoother.from.push_back({pixel.light, pixel.shine, pixel.light_noise, pixel.shine_noise});
  }
  smoother.to.resize(smoother.from.size());
  const auto each_row = [&](auto&& row) {
    parallel_for(static_cast<size_t>(film.height), 4, [&](size_t begin, size_t end) {
      for (size_t y = begin; y < end; ++y) row(static_cast<int>(y));
    });
    std::swap(smoother.from, smoother.to);
  };
  each_row([&](int y) { smoother.settle_noise(y); });
  for (int round = 0; round < kRounds; ++round) each_row([&](int y) { smoother.smooth_row(y, 1 << round); });
  for (size_t i = 0; i < film.pixels.size(); ++i) film.pixels[i].light = smoother.from[i].light, film.pixels[i].shine = smoother.from[i].shine;
}

}  // namespace crumple::render
