#include <algorithm>
#include <cmath>

#include "crumple/core/parallel.h"
#include "crumple/render/film.h"

namespace crumple::render {
namespace {

constexpr int kRounds = 4;                                     // reach: 2 * 1 + 2 + 4 + 8 pixels
constexpr float kKernel[3] = {3.0f / 8, 1.0f / 4, 1.0f / 16};  // a spline, as in the a-trous transform
constexpr float kUnseen = 0.0025f;                             // noise that no eye sees

/// What of a layer steers the smoothing; does not change from round to round.
struct Guide {
  Vec3f normal, point, color;
  float footprint;  // size of the pixel on what it shows
  float share;
  float sharpness;
};

/// What is smoothed.
struct Values {
  Vec3f light, shine;
  float light_brightness, shine_brightness;
  float light_noise, shine_noise;
};

/// Close to exp(-x), and exactly zero beyond 8.
float fade(float x) {
  const float base = std::max(0.0f, 1 - 0.125f * x);
  const float squared = base * base, fourth = squared * squared;
  return fourth * fourth;
}

Guide guide_of(const Film& film, const Layer& layer) {
  const float length = layer.normal.norm();
  return {length > 1e-6f ? Vec3f(layer.normal / length) : Vec3f(Vec3f::Zero()), layer.point, layer.albedo + layer.gloss,
          film.pixel_slope * (layer.point - film.eye).norm() + 1e-12f,          layer.share, layer.sharpness};
}

Values values_of(const Layer& layer) {
  return {layer.light, layer.shine, brightness(layer.light), brightness(layer.shine), layer.light_noise, layer.shine_noise};
}

/// How much two layers are the same surface under the same view: 0 .. 1.
inline float kinship(const Guide& a, const Guide& b, float apart) {
  const float bend = std::max(0.0f, 1 - a.normal.dot(b.normal));
  const float off_plane = std::abs(a.normal.dot(b.point - a.point)) / (a.footprint * (0.5f + 0.35f * apart));
  const float tint = (a.color - b.color).cwiseAbs().sum();
  return b.share * fade(60 * bend + off_plane + 6 * tint);
}

struct Smoother {
  int width, height;
  std::vector<Guide> guides;
  std::vector<Values> from, to;

  size_t index(int x, int y) const { return static_cast<size_t>(y) * width + x; }
  bool inside(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }

  void settle_noise(int x, int y);
  void smooth_pixel(int x, int y, int step);
  void settle_edge(const Film& film, EdgeLayer& edge) const;
};

/// An estimate of noise from few samples is itself noisy; the mean of its neighbourhood is better.
void Smoother::settle_noise(int x, int y) {
  float light = 0, shine = 0, total = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (!inside(x + dx, y + dy)) continue;
      const Values& other = from[index(x + dx, y + dy)];
      const float weight = kKernel[std::abs(dx)] * kKernel[std::abs(dy)];
      light += weight * other.light_noise, shine += weight * other.shine_noise, total += weight;
    }
  }
  Values& here = to[index(x, y)];
  here = from[index(x, y)];
  here.light_noise = light / total, here.shine_noise = shine / total;
}

void Smoother::smooth_pixel(int x, int y, int step) {
  const size_t center = index(x, y);
  const Guide& guide = guides[center];
  const Values& here = from[center];
  if (guide.share == 0 || (here.light_noise < kUnseen && here.shine_noise < kUnseen)) {
    to[center] = here;
    return;
  }
  const float light_scale = 1 / (2.0f * here.light_noise + 0.004f), shine_scale = 1 / (2.0f * here.shine_noise + 0.004f);
  const float blunt = step <= 2 ? 1.0f : std::max(0.0f, 1 - 1.5f * guide.sharpness);
  const float own = kKernel[0] * kKernel[0] * guide.share;
  Vec3f light = own * here.light, shine = own * here.shine;
  float light_total = own, shine_total = own;
  // The wider rounds find the ground prepared; nine taps do there.
  const int reach = step == 1 ? 2 : 1;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const int u = x + step * dx, v = y + step * dy;
      if ((dx == 0 && dy == 0) || !inside(u, v)) continue;
      const float apart = static_cast<float>(step * std::max(std::abs(dx), std::abs(dy)));
      const float weight = kKernel[std::abs(dx)] * kKernel[std::abs(dy)] * kinship(guide, guides[index(u, v)], apart);
      if (weight < 1e-4f) continue;
      const Values& other = from[index(u, v)];
      const float light_weight = weight * fade(std::abs(other.light_brightness - here.light_brightness) * light_scale);
      const float shine_weight = blunt * weight * fade(std::abs(other.shine_brightness - here.shine_brightness) * shine_scale);
      light += light_weight * other.light, light_total += light_weight;
      shine += shine_weight * other.shine, shine_total += shine_weight;
    }
  }
  light /= light_total, shine /= shine_total;
  // What has been averaged is less noisy for the next, wider round.
  to[center] = {light,
                shine,
                brightness(light),
                brightness(shine),
                here.light_noise * std::sqrt(own / light_total),
                here.shine_noise * std::sqrt(own / shine_total)};
}

/// The lesser surface of an edge pixel has few samples; the pixels beside it that show the same surface know its light.
void Smoother::settle_edge(const Film& film, EdgeLayer& edge) const {
  Layer& layer = edge.layer;
  const Guide guide = guide_of(film, layer);
  const float own = 0.3f * layer.share;
  Vec3f light = own * layer.light, shine = own * layer.shine;
  float total = own;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      if (!inside(edge.x + dx, edge.y + dy)) continue;
      const size_t at = index(edge.x + dx, edge.y + dy);
      const float weight = kKernel[std::abs(dx)] * kKernel[std::abs(dy)] * 7 * kinship(guide, guides[at], 1);
      light += weight * from[at].light, shine += weight * from[at].shine, total += weight;
    }
  }
  if (total > 0) layer.light = light / total, layer.shine = shine / total;
}

}  // namespace

void denoise(Film& film) {
  Smoother smoother{film.width, film.height, {}, {}, {}};
  smoother.guides.reserve(film.pixels.size()), smoother.from.reserve(film.pixels.size());
  for (const Pixel& pixel : film.pixels) {
    smoother.guides.push_back(guide_of(film, pixel.front));
    smoother.from.push_back(values_of(pixel.front));
  }
  smoother.to.resize(smoother.from.size());
  const auto each_pixel = [&](auto&& work) {
    parallel_for(static_cast<size_t>(film.height), 4, [&](size_t begin, size_t end) {
      for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
        for (int x = 0; x < film.width; ++x) work(x, y);
      }
    });
    std::swap(smoother.from, smoother.to);
  };
  each_pixel([&](int x, int y) { smoother.settle_noise(x, y); });
  for (int round = 0; round < kRounds; ++round) each_pixel([&](int x, int y) { smoother.smooth_pixel(x, y, 1 << round); });
  for (size_t i = 0; i < film.pixels.size(); ++i) {
    film.pixels[i].front.light = smoother.from[i].light, film.pixels[i].front.shine = smoother.from[i].shine;
  }
  for (auto& tile : film.edges) {
    for (EdgeLayer& edge : tile) smoother.settle_edge(film, edge);
  }
}

}  // namespace crumple::render
