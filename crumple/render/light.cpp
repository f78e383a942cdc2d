#include "crumple/render/light.h"

#include <algorithm>
#include <cmath>

namespace crumple::render {

Vec3f sky(const Light& light, const Vec3f& direction) {
  const Vec3f horizon(0.92f, 0.95f, 1.00f), zenith(0.34f, 0.45f, 0.64f), ground(0.30f, 0.29f, 0.28f);
  const float height = direction.dot(light.up);
  const float rise = 1 - std::exp(-3.2f * std::max(height, 0.0f));
  Vec3f color = horizon + rise * (zenith - horizon);
  // Below the horizon there is ground even where the scene has none, reached softly so that reflections show no line.
  const float fall = std::clamp(-8 * height, 0.0f, 1.0f);
  color += fall * fall * (3 - 2 * fall) * (ground - color);
  const float toward_sun = std::max(direction.dot(light.sun), 0.0f);
  const float squared = toward_sun * toward_sun, fourth = squared * squared;
  return color + (0.55f * fourth + 1.3f * fourth * fourth * fourth * fourth) * Vec3f(1.0f, 0.93f, 0.82f);
}

Vec3f background(const Light& light, const Vec3f& direction) {
  const float height = std::max(direction.dot(light.up), 0.0f);
  const float rise = 1 - std::exp(-1.6f * height);
  return light.background.cwiseProduct(Vec3f::Ones() - rise * Vec3f(0.42f, 0.32f, 0.18f));
}

Vec3f ambient(const Light& light, const Vec3f& normal) {
  const float open = 0.5f + 0.5f * normal.dot(light.up);
  return Vec3f(0.20f, 0.20f, 0.20f) + open * (Vec3f(0.44f, 0.49f, 0.56f) - Vec3f(0.20f, 0.20f, 0.20f));
}

}  // namespace crumple::render
