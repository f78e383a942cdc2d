#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "crumple/math/types.h"

namespace crumple::render {

inline constexpr float kPi = std::numbers::pi_v<float>;

// Sample points that fill the unit square evenly: Sobol's first two dimensions, scrambled as Owen does but with a hash
// [Laine and Karras 2011, Burley 2020]. Pixels take consecutive stretches of one sequence along a Z curve [Ahmed and Wonka 2020],
// so neighbouring pixels complete one another and what noise is left has no low frequencies.

inline uint32_t hash_bits(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
  return x;
}

inline uint32_t reverse_bits(uint32_t x) {
  x = __builtin_bswap32(x);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
  x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
  return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

/// A hash in which each bit depends on lower bits only; on reversed bits that is a scrambling of the binary tree of digits.
inline uint32_t scramble_upward(uint32_t x, uint32_t seed) {
  x += seed, x ^= x * 0x6c50b47cu, x ^= x * 0xb82f1e52u, x ^= x * 0xc7afe638u, x ^= x * 0x8d22f6e6u;
  return x;
}

/// Sobol's second dimension, bits reversed: its matrix is Pascal's triangle modulo 2, that is five butterflies.
inline uint32_t pascal_bits(uint32_t x) {
  x ^= (x & 0xaaaaaaaau) >> 1, x ^= (x & 0xccccccccu) >> 2, x ^= (x & 0xf0f0f0f0u) >> 4;
  return x ^= (x & 0xff00ff00u) >> 8, x ^ ((x & 0xffff0000u) >> 16);
}

inline uint32_t spread_bits(uint32_t x) {
  x &= 0x3ffu;
  x = (x | (x << 8)) & 0x00ff00ffu, x = (x | (x << 4)) & 0x0f0f0f0fu, x = (x | (x << 2)) & 0x33333333u;
  return (x | (x << 1)) & 0x55555555u;
}

/// Where in the sequence the samples of a pixel start; `samples_bits` makes room for 2^samples_bits of them.
inline uint32_t first_sample_of_pixel(int x, int y, int samples_bits) {
  return (spread_bits(static_cast<uint32_t>(x)) | (spread_bits(static_cast<uint32_t>(y)) << 1)) << samples_bits;
}

/// The `index`th point of the sequence for one use, such as "sun" or "lens"; different uses are independent.
inline Vec2f sample_square(uint32_t index, uint32_t use) {
  const uint32_t seed = hash_bits(use + 0x9e3779b9u);
  const uint32_t shuffled = reverse_bits(scramble_upward(reverse_bits(index), seed));
  const uint32_t x = reverse_bits(scramble_upward(shuffled, hash_bits(seed ^ 0x2c1b3c6du)));
  const uint32_t y = reverse_bits(scramble_upward(pascal_bits(shuffled), hash_bits(seed ^ 0x297a2d39u)));
  return Vec2f(static_cast<float>(x >> 8), static_cast<float>(y >> 8)) * 0x1p-24f;
}

/// Two directions that make an orthonormal frame with `n`. [Duff et al. 2017]
struct Tangents {
  Vec3f u, v;
};
inline Tangents tangents_of(const Vec3f& n) {
  const float sign = std::copysign(1.0f, n.z());
  const float a = -1.0f / (sign + n.z()), b = n.x() * n.y() * a;
  return {{1.0f + sign * n.x() * n.x() * a, sign * b, -sign * n.x()}, {b, sign + n.y() * n.y() * a, -n.y()}};
}

inline Vec2f sample_disk(const Vec2f& square) {
  const float radius = std::sqrt(square.x()), angle = 2 * std::numbers::pi_v<float> * square.y();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// A direction about `n`, as likely as its cosine.
inline Vec3f sample_cosine(const Vec3f& n, const Vec2f& square) {
  const Vec2f disk = sample_disk(square);
  const Tangents t = tangents_of(n);
  return disk.x() * t.u + disk.y() * t.v + std::sqrt(std::max(0.0f, 1.0f - square.x())) * n;
}

/// A direction within a narrow cone about `axis`.
inline Vec3f sample_cone(const Vec3f& axis, float radius, const Vec2f& square) {
  const Vec2f disk = radius * sample_disk(square);
  const Tangents t = tangents_of(axis);
  return (axis + disk.x() * t.u + disk.y() * t.v).normalized();
}

/// An offset in pixels, spread as a tent of the given half width: a good filter without negative lobes.
inline float sample_tent(float u, float half_width) {
  return half_width * (u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u));
}

}  // namespace crumple::render
