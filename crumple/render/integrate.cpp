#include "crumple/render/integrate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "crumple/render/sampling.h"

namespace crumple::render {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kBrightest = 6.0f;      // of one mirrored sample: rarer and brighter ones are specks, not light
constexpr float kFilterRadius = 0.95f;  // pixels

// What each two-dimensional sample is used for.
enum Use : uint32_t { kLens, kSun, kSky, kMirror, kSkySun, kMirrorSun };

/// How much haze lies over a place: it hides where the ground ends.
float haze(const Shot& shot, const Vec3f& point) {
  const float beyond = std::max(0.0f, point.norm() - shot.haze_near) / shot.haze_far;
  return 1 - std::exp(-beyond * beyond);
}

/// Sun on a surface as irradiance / pi, and whether it shines there at all.
float sun_cosine(const Shot& shot, const Hit& hit, const Vec3f& to_sun) {
  const float cosine = hit.normal.dot(to_sun);
  if (cosine <= 0 || hit.face.dot(to_sun) <= 0) return 0;
  return shot.tracer.blocked(hit.leave_from, to_sun) ? 0 : cosine;
}

/// What a surface met by a second ray sends back: sun and an ambient guess.
Vec3f second_radiance(const Shot& shot, const Hit& hit, const Vec3f& direction, const Vec2f& square) {
  const Light& light = shot.light;
  const float cosine = sun_cosine(shot, hit, sample_cone(light.sun, light.sun_radius, square));
  const Vec3f received = light.sun_irradiance * (cosine / kPi) + ambient(light, hit.normal);
  const Vec3f mirrored = direction - 2 * direction.dot(hit.normal) * hit.normal;
  const Vec3f sent = hit.material.diffuse.cwiseProduct(received) + hit.material.specular.cwiseProduct(0.7f * sky(light, mirrored));
  const float hidden = haze(shot, hit.point);
  return sent + hidden * (background(light, direction) - sent);
}

/// What comes in along a ray that leaves a surface.
Vec3f incoming(const Shot& shot, const Hit& hit, const Vec3f& direction, const Vec2f& square) {
  Hit other;
  if (!shot.tracer.closest(hit.leave_from, direction, other)) return sky(shot.light, direction);
  return second_radiance(shot, other, direction, square);
}

/// Sums over the samples of a pixel that become a Pixel at the end.
struct Sums {
  Pixel pixel;
  float light = 0, light_squared = 0, shine = 0, shine_squared = 0;
  int hits = 0;
};

struct Lighting {
  Vec3f light = Vec3f::Zero();  // irradiance / pi
  Vec3f shine = Vec3f::Zero();  // mirrored, the mirror colour included
};

Lighting light_hit(const Shot& shot, const Hit& hit, const Vec3f& direction, uint32_t index) {
  Lighting result;
  const Light& light = shot.light;
  const Vec3f to_sun = sample_cone(light.sun, light.sun_radius, sample_square(index, kSun));
  const float cosine = sun_cosine(shot, hit, to_sun);
  if (cosine > 0) {
    result.light += light.sun_irradiance * (cosine / kPi);
    result.shine += light.sun_irradiance.cwiseProduct(glossy(hit.material, hit.normal, -direction, light.sun, light.sun_radius));
  }
  if (hit.material.diffuse.maxCoeff() > 0) {
    const Vec3f outward = sample_cosine(hit.normal, sample_square(index, kSky));
    if (outward.dot(hit.face) > 0) result.light += incoming(shot, hit, outward, sample_square(index, kSkySun));
  }
  if (hit.material.glossy) {
    const GlossySample sample = sample_glossy(hit.material, hit.normal, -direction, sample_square(index, kMirror));
    if (sample.weight.maxCoeff() > 0 && sample.direction.dot(hit.face) > 0) {
      const Vec3f seen = incoming(shot, hit, sample.direction, sample_square(index, kMirrorSun));
      result.shine += sample.weight.cwiseProduct(seen);
    }
  }
  result.shine = result.shine.cwiseMin(kBrightest);
  return result;
}

Vec3f mirror_color(const Material& material, float cosine) {
  return fresnel(material.specular, cosine).cwiseMax(0.02f);
}

void add_sample(const Shot& shot, Sums& sums, const Vec3f& direction, uint32_t index) {
  Hit hit;
  Pixel& pixel = sums.pixel;
  const Vec3f behind = background(shot.light, direction);
  if (!shot.tracer.closest(shot.eye, direction, hit, true)) {
    pixel.plain += behind;
    return;
  }
  const float hidden = haze(shot, hit.point), clear = 1 - hidden;
  pixel.plain += hidden * behind;
  ++sums.hits;
  pixel.normal += hit.normal;
  pixel.point += hit.point;
  if (clear < 0.004f) return;
  const Lighting lit = light_hit(shot, hit, direction, index);
  // The coat takes from the base what it mirrors.
  const Vec3f mirrored = mirror_color(hit.material, -direction.dot(hit.normal));
  const Vec3f diffuse = hit.material.diffuse.cwiseProduct(Vec3f::Ones() - mirrored);
  pixel.albedo += clear * diffuse;
  pixel.light += clear * diffuse.cwiseProduct(lit.light);
  pixel.gloss += clear * mirrored;
  pixel.shine += clear * lit.shine;
  pixel.sharpness += 1 - std::sqrt(hit.material.alpha);
  const float light = brightness(lit.light), shine = brightness(lit.shine.cwiseQuotient(mirrored));
  sums.light += light, sums.light_squared += light * light;
  sums.shine += shine, sums.shine_squared += shine * shine;
}

float noise_of_mean(float sum, float squares, float count) {
  if (count < 2) return 1;
  return std::sqrt(std::max(0.0f, squares - sum * sum / count) / (count * (count - 1)));
}

Vec3f quotient(const Vec3f& value, const Vec3f& by) {
  return value.cwiseQuotient(by.cwiseMax(1e-6f));
}

Pixel finish(Sums& sums, int samples) {
  Pixel pixel = sums.pixel;
  const float all = static_cast<float>(samples), hits = static_cast<float>(std::max(1, sums.hits));
  pixel.light = quotient(pixel.light, pixel.albedo);
  pixel.shine = quotient(pixel.shine, pixel.gloss);
  pixel.plain /= all, pixel.albedo /= all, pixel.gloss /= all;
  pixel.normal /= hits, pixel.point /= hits, pixel.sharpness /= hits;
  pixel.cover = static_cast<float>(sums.hits) / all;
  pixel.light_noise = noise_of_mean(sums.light, sums.light_squared, hits);
  pixel.shine_noise = noise_of_mean(sums.shine, sums.shine_squared, hits);
  return pixel;
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
          0.6f * distance,
          1.9f * distance,
          width,
          height,
          samples};
}

Pixel integrate_pixel(const Shot& shot, int x, int y) {
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
  return finish(sums, shot.samples);
}

}  // namespace crumple::render
