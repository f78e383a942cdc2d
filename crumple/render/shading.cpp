#include "crumple/render/shading.h"

#include <algorithm>
#include <cmath>

#include "crumple/render/sampling.h"

namespace crumple::render {
namespace {

/// Smith's lambda of the GGX distribution.
float smith(float cosine, float alpha) {
  const float squared = cosine * cosine;
  return 0.5f * (std::sqrt(1 + alpha * alpha * (1 - squared) / std::max(squared, 1e-8f)) - 1);
}

float lattice_value(int x, int y, int z) {
  const uint32_t mixed =
      hash_bits(static_cast<uint32_t>(x) * 0x8da6b343u ^ static_cast<uint32_t>(y) * 0xd8163841u ^ static_cast<uint32_t>(z) * 0xcb1ab31fu);
  return static_cast<float>(mixed >> 8) * 0x1p-23f - 1;
}

/// Smooth noise in -1 .. 1 that varies over distances of 1.
float value_noise(const Vec3f& at) {
  const Vec3f low = at.array().floor();
  const Vec3f part = at - low;
  const Vec3f blend = part.array().square() * (3 - 2 * part.array());
  const Eigen::Vector3i cell = low.cast<int>();
  float sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
    const float weight = (dx ? blend.x() : 1 - blend.x()) * (dy ? blend.y() : 1 - blend.y()) * (dz ? blend.z() : 1 - blend.z());
    sum += weight * lattice_value(cell.x() + dx, cell.y() + dy, cell.z() + dz);
  }
  return sum;
}

}  // namespace

Material make_material(const Vec3f& color, float metal, float roughness) {
  Material material;
  const Vec3f base = color.cwiseMax(0.0f).cwiseMin(1.0f);
  const float bare = std::clamp(metal, 0.0f, 1.0f);
  const float rough = std::clamp(roughness, 0.08f, 1.0f);
  material.diffuse = (1 - bare) * base;
  material.specular = (1 - bare) * Vec3f::Constant(0.045f) + bare * base;
  material.alpha = rough * rough;
  material.glossy = bare > 0.02f || rough < 0.78f;
  return material;
}

Vec3f fresnel(const Vec3f& specular, float cosine) {
  const float away = std::clamp(1 - cosine, 0.0f, 1.0f);
  const float squared = away * away;
  return specular + squared * squared * away * (Vec3f::Ones() - specular);
}

Vec3f average_fresnel(const Material& material, float cosine) {
  if (!material.glossy) return Vec3f::Zero();
  const float away = std::clamp(1 - cosine, 0.0f, 1.0f);
  const float squared = away * away;
  const Vec3f most = material.specular.cwiseMax(1 - std::sqrt(material.alpha));
  return material.specular + squared * squared * away * (most - material.specular);
}

Vec3f glossy(const Material& material, const Vec3f& normal, const Vec3f& to_eye, const Vec3f& to_light, float light_radius) {
  const float eye = normal.dot(to_eye), light = normal.dot(to_light);
  if (eye <= 0 || light <= 0) return Vec3f::Zero();
  // A light of some size blurs the highlight as a little more roughness would.
  const float alpha = std::min(1.0f, material.alpha + 0.5f * light_radius);
  const Vec3f half = (to_eye + to_light).normalized();
  const float cosine = std::clamp(normal.dot(half), 0.0f, 1.0f);
  const float spread = cosine * cosine * (alpha * alpha - 1) + 1;
  const float density = alpha * alpha / (kPi * spread * spread);
  const float unshadowed = 1 / (1 + smith(eye, alpha) + smith(light, alpha));
  return fresnel(material.specular, half.dot(to_eye)) * (density * unshadowed / (4 * eye));
}

float grain(const Vec3f& point, float size) {
  const Vec3f at = (point / size).cwiseMax(-1e4f).cwiseMin(1e4f);
  return 1 + 0.045f * value_noise(at) + 0.035f * value_noise(3.1f * at) + 0.03f * value_noise(13 * at) + 0.025f * value_noise(47 * at);
}

GlossySample sample_glossy(const Material& material, const Vec3f& normal, const Vec3f& to_eye, const Vec2f& square) {
  const Tangents t = tangents_of(normal);
  const float alpha = material.alpha;
  const Vec3f eye(to_eye.dot(t.u), to_eye.dot(t.v), std::max(to_eye.dot(normal), 1e-3f));
  const Vec3f stretched = Vec3f(alpha * eye.x(), alpha * eye.y(), eye.z()).normalized();
  const float flat = stretched.x() * stretched.x() + stretched.y() * stretched.y();
  const Vec3f across = flat > 1e-8f ? Vec3f(Vec3f(-stretched.y(), stretched.x(), 0) / std::sqrt(flat)) : Vec3f(Vec3f::UnitX());
  const Vec3f along = stretched.cross(across);
  Vec2f disk = sample_disk(square);
  const float blend = 0.5f * (1 + stretched.z());
  disk.y() = (1 - blend) * std::sqrt(std::max(0.0f, 1 - disk.x() * disk.x())) + blend * disk.y();
  const Vec3f seen = disk.x() * across + disk.y() * along + std::sqrt(std::max(0.0f, 1 - disk.squaredNorm())) * stretched;
  const Vec3f micro = Vec3f(alpha * seen.x(), alpha * seen.y(), std::max(1e-6f, seen.z())).normalized();
  const Vec3f out = 2 * eye.dot(micro) * micro - eye;
  if (out.z() <= 1e-4f) return {normal, Vec3f::Zero()};
  const float shadow = (1 + smith(eye.z(), alpha)) / (1 + smith(eye.z(), alpha) + smith(out.z(), alpha));
  return {out.x() * t.u + out.y() * t.v + out.z() * normal, fresnel(material.specular, eye.dot(micro)) * shadow};
}

}  // namespace crumple::render
