#include "crumple/render/light.h"

#include <algorithm>
#include <cmath>

namespace crumple::render {

Vec3f sky(const Light& light, const Vec3f& direction) {
  const Vec3f horizon(0.88f, 0.90f, 0.94f), zenith(0.22f, 0.30f, 0.44f), ground(0.26f, 0.25f, 0.24f);
  const float height = direction.dot(light.up);
  const float rise = 1 - std::exp(-3.2f * std::max(height, 0.0f));
  Vec3f color = horizon + rise * (zenith - horizon);
  // Below the horizon there is ground even where the scene has none, reached softly so that reflections show no line.
  const float fall = std::clamp(-8 * height, 0.0f, 1.0f);
  color += fall * fall * (3 - 2 * fall) * (ground - color);
  const float toward_sun = std::max(direction.dot(light.sun), 0.0f);
  const float squared = toward_sun * toward_sun, fourth = squared * squared;
  return color + (0.40f * fourth + 1.6f * fourth * fourth * fourth * fourth) * Vec3f(1.0f, 0.93f, 0.82f);
}

Vec3f background(const Light& light, const Vec3f& direction) {
  const float height = std::max(direction.dot(light.up), 0.0f);
  const float rise = 1 - std::exp(-1.6f * height);
  return light.background.cwiseProduct(Vec3f::Ones() - rise * Vec3f(0.30f, 0.24f, 0.16f));
}

Vec3f ambient(const Light& light, const Vec3f& normal) {
  const float open = 0.5f + 0.5f * normal.dot(light.up);
  return Vec3f(0.17f, 0.17f, 0.17f) + open * Vec3f(0.21f, 0.25f, 0.31f);
}

}  // namespace crumple::render
