#include "crumple/render/integrate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "crumple/render/sampling.h"

namespace crumple::render {
namespace {

constexpr float kBrightest = 6.0f;      // of one mirrored sample: rarer and brighter ones are specks, not light
constexpr float kFilterRadius = 0.95f;  // pixels

// What each two-dimensional sample is used for.
enum Use : uint32_t { kLens, kSun, kSky, kMirror, kSkySun, kMirrorSun };

/// How much haze lies over a place: it hides where the ground ends. Walls and other solid things near the action stay clear.
float haze(const Shot& shot, const Hit& hit) {
  const float clear = hit.backdrop ? 1.0f : 4.0f;
  const float beyond = std::max(0.0f, hit.point.norm() - clear * shot.haze_near) / (clear * shot.haze_far);
  return 1 - std::exp(-beyond * beyond);
}

/// Sun on a surface as irradiance / pi, and whether it shines there at all.
float sun_cosine(const Shot& shot, const Hit& hit, const Vec3f& to_sun, uint32_t index) {
  const float cosine = hit.normal.dot(to_sun);
  if (cosine <= 0 || hit.face.dot(to_sun) <= 0) return 0;
  return shot.tracer.blocked(hit.leave_from, to_sun, index) ? 0 : cosine;
}

/// A direction towards some point of the sun.
Vec3f toward_sun(const Light& light, uint32_t index, Use use) {
  return sample_cone(light.sun, light.sun_radius, sample_square(index, use));
}

/// What a surface met by a second ray sends back: sun and an ambient guess.
Vec3f second_radiance(const Shot& shot, const Hit& hit, const Vec3f& direction, const Vec3f& to_sun, uint32_t index) {
  const Light& light = shot.light;
  const Vec3f received = light.sun_irradiance * (sun_cosine(shot, hit, to_sun, index) / kPi) + ambient(light, hit.normal);
  const Vec3f mirrored = direction - 2 * direction.dot(hit.normal) * hit.normal;
  const Vec3f sent = hit.emitted + hit.material.diffuse.cwiseProduct(received) + hit.material.specular.cwiseProduct(0.7f * sky(light, mirrored));
  const float hidden = haze(shot, hit);
  return sent + hidden * (background(light, direction) - sent);
}

struct Lighting {
  Vec3f light = Vec3f::Zero();  // irradiance / pi
  Vec3f shine = Vec3f::Zero();  // mirrored, the mirror colour included
  bool open = true;             // no ray met anything
};

/// What comes in along a ray that leaves a surface.
Vec3f incoming(const Shot& shot, const Hit& hit, const Vec3f& direction, uint32_t index, Use sun_use, Lighting& lighting) {
  Hit other;
  if (!shot.tracer.closest(hit.leave_from, direction, index, other)) return sky(shot.light, direction);
  lighting.open = false;
  return second_radiance(shot, other, direction, toward_sun(shot.light, index, sun_use), index);
}

/// Sums over the samples of a pixel that hit one surface; they become a Layer at the end.
struct LayerSums {
  Layer layer;
  Vec3f lit_albedo = Vec3f::Zero(), lit_gloss = Vec3f::Zero();  // of the samples that were lit, see is_settled
  float light = 0, light_squared = 0, shine = 0, shine_squared = 0;
  int hits = 0, lit = 0, open = 0;
  bool backdrop = false;
};
struct Sums {
  Vec3f plain = Vec3f::Zero();
  LayerSums first, second;
  Vec3f normal, point;  // of the first hit: what is like it goes to the first layer, all else to the second
};

Lighting light_hit(const Shot& shot, const Hit& hit, const Vec3f& direction, uint32_t index) {
  Lighting result;
  const Light& light = shot.light;
  const float cosine = sun_cosine(shot, hit, toward_sun(light, index, kSun), index);
  result.open = cosine > 0;
  if (cosine > 0) {
    result.light += light.sun_irradiance * (cosine / kPi);
    result.shine += light.sun_irradiance.cwiseProduct(glossy(hit.material, hit.normal, -direction, light.sun, light.sun_radius));
  }
  if (hit.material.diffuse.maxCoeff() > 0) {
    const Vec3f outward = sample_cosine(hit.normal, sample_square(index, kSky));
    if (outward.dot(hit.face) > 0) result.light += incoming(shot, hit, outward, index, kSkySun, result);
  }
  if (hit.material.glossy) {
    const GlossySample sample = sample_glossy(hit.material, hit.normal, -direction, sample_square(index, kMirror));
    if (sample.weight.maxCoeff() > 0 && sample.direction.dot(hit.face) > 0) {
      result.shine += sample.weight.cwiseProduct(incoming(shot, hit, sample.direction, index, kMirrorSun, result));
    }
  }
  result.shine = result.shine.cwiseMin(kBrightest);
  return result;
}

bool is_same_surface(const Shot& shot, const Sums& sums, const Hit& hit) {
  const float footprint = shot.pixel_slope * hit.distance;
  return sums.normal.dot(hit.normal) > 0.85f && std::abs(sums.normal.dot(hit.point - sums.point)) < 2 * footprint;
}

LayerSums& layer_of(const Shot& shot, Sums& sums, const Hit& hit) {
  if (sums.first.hits == 0) sums.normal = hit.normal, sums.point = hit.point;
  return is_same_surface(shot, sums, hit) ? sums.first : sums.second;
}

float noise_of_mean(float sum, float squares, int samples) {
  if (samples < 2) return 1;
  const auto count = static_cast<float>(samples);
  return std::sqrt(std::max(0.0f, squares - sum * sum / count) / (count * (count - 1)));
}

/// True if half the samples met nothing but sun and sky: both are smooth, and evenly spread samples get them right soon.
bool is_settled(const Shot& shot, const LayerSums& sums) {
  return sums.lit == sums.open && sums.lit >= std::max(4, shot.samples / 2);
}

/// What a hit is, whether or not its light is sampled.
struct Tint {
  Vec3f diffuse, mirrored;
};
Tint tint_of(const Hit& hit, const Vec3f& direction) {
  const Vec3f mirrored = average_fresnel(hit.material, -direction.dot(hit.normal));
  // The coat takes from the base what it mirrors.
  return {hit.material.diffuse.cwiseProduct(Vec3f::Ones() - mirrored), mirrored.cwiseMax(0.02f)};
}

void add_lighting(LayerSums& sums, const Tint& tint, const Lighting& lit) {
  sums.lit_albedo += tint.diffuse;
  sums.lit_gloss += tint.mirrored;
  sums.layer.light += tint.diffuse.cwiseProduct(lit.light);
  sums.layer.shine += lit.shine;
  const float light = brightness(lit.light), shine = brightness(lit.shine.cwiseQuotient(tint.mirrored));
  sums.light += light, sums.light_squared += light * light;
  sums.shine += shine, sums.shine_squared += shine * shine;
  ++sums.lit;
  sums.open += lit.open;
}

void add_sample(const Shot& shot, Sums& sums, const Vec3f& direction, uint32_t index) {
  Hit hit;
  const Vec3f behind = background(shot.light, direction);
  if (!shot.tracer.closest(shot.eye, direction, index, hit, true)) {
    sums.plain += behind;
    return;
  }
  const float hidden = haze(shot, hit);
  sums.plain += hidden * behind + (1 - hidden) * hit.emitted;
  LayerSums& layer = layer_of(shot, sums, hit);
  const Tint tint = tint_of(hit, direction);
  ++layer.hits;
  layer.backdrop |= hit.backdrop;
  layer.layer.normal += hit.normal;
  layer.layer.point += hit.point;
  layer.layer.albedo += (1 - hidden) * tint.diffuse;
  layer.layer.gloss += (1 - hidden) * tint.mirrored;
  layer.layer.sharpness += 1 - std::sqrt(hit.material.alpha);
  if (hidden < 0.996f && !is_settled(shot, layer)) add_lighting(layer, tint, light_hit(shot, hit, direction, index));
}

Vec3f quotient(const Vec3f& value, const Vec3f& by) {
  return value.cwiseQuotient(by.cwiseMax(1e-6f));
}

Layer finish(const Shot& shot, const LayerSums& sums) {
  Layer layer = sums.layer;
  if (sums.hits == 0) return layer;
  const auto hits = static_cast<float>(sums.hits);
  layer.light = quotient(layer.light, sums.lit_albedo);
  layer.shine = quotient(layer.shine, sums.lit_gloss);
  layer.albedo /= hits, layer.gloss /= hits, layer.normal /= hits, layer.point /= hits, layer.sharpness /= hits;
  layer.share = hits / static_cast<float>(shot.samples);
  if (sums.backdrop) layer.grain = grain(layer.point, shot.grain_size);
  layer.light_noise = noise_of_mean(sums.light, sums.light_squared, sums.lit);
  layer.shine_noise = noise_of_mean(sums.shine, sums.shine_squared, sums.lit);
  return layer;
}

}  // namespace

Shot make_shot(const Tracer& tracer, const Camera& camera, const Light& light, int width, int height, int samples) {
  const CameraAxes axes = axes_of(camera);
  const double slope = std::tan(0.5 * camera.fov_degrees * std::numbers::pi / 180);
  const auto distance = static_cast<float>((camera.eye - camera.target).norm());
  return {tracer,
          light,
          (camera.eye - camera.target).cast<float>(),
          (slope * width / height * axes.right).cast<float>(),
          (slope * axes.up).cast<float>(),
          axes.forward.cast<float>(),
          0.35f * distance,
          1.5f * distance,
          0.22f * distance,
          static_cast<float>(pixel_slope(camera, height)),
          width,
          height,
          samples};
}

PixelLayers integrate_pixel(const Shot& shot, int x, int y) {
  Sums sums;
  const int bits = std::bit_width(static_cast<unsigned>(shot.samples - 1));
  const uint32_t first = first_sample_of_pixel(x, y, bits);
  for (int sample = 0; sample < shot.samples; ++sample) {
    const uint32_t index = first + static_cast<uint32_t>(sample);
    const Vec2f lens = sample_square(index, kLens);
    const float u = (static_cast<float>(x) + 0.5f + sample_tent(lens.x(), kFilterRadius)) / static_cast<float>(shot.width);
    const float v = (static_cast<float>(y) + 0.5f + sample_tent(lens.y(), kFilterRadius)) / static_cast<float>(shot.height);
    const Vec3f direction = (shot.forward + (2 * u - 1) * shot.right + (1 - 2 * v) * shot.up).normalized();
    add_sample(shot, sums, direction, index);
  }
  if (sums.second.hits > sums.first.hits) std::swap(sums.first, sums.second);
  return {{sums.plain / static_cast<float>(shot.samples), finish(shot, sums.first)}, finish(shot, sums.second)};
}

}  // namespace crumple::render
