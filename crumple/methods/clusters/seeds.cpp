#include <algorithm>
#include <random>

#include "crumple/core/random.h"
#include "crumple/methods/clusters/clustering.h"

namespace crumple::clusters {
namespace {

/// A whole number in [0, count) out of draws of 32 bits, as libc++ makes it: the low bits of a draw, and another draw if they are too many.
uint32_t below_libcxx(std::mt19937& draw, uint32_t count) {
  int bits = 0;
  while (bits < 32 && (uint64_t{1} << bits) < count) ++bits;
  const uint32_t mask = bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1;
  for (;;) {
    const uint32_t value = static_cast<uint32_t>(draw()) & mask;
    if (value < count) return value;
  }
}

/// The same as libstdc++ makes it: the high half of a product [Lemire 2019].
uint32_t below_libstdcxx(std::mt19937& draw, uint32_t count) {
  uint64_t product = uint64_t{static_cast<uint32_t>(draw())} * count;
  if (static_cast<uint32_t>(product) < count) {
    const uint32_t threshold = (0u - count) % count;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{static_cast<uint32_t>(draw())} * count;
  }
  return static_cast<uint32_t>(product >> 32);
}

std::vector<int> by_chance(size_t points, int count, Seeding seeding) {
  std::mt19937 draw;  // with its standard seed; what it draws is laid down, unlike what distributions make of it
  std::vector<uint8_t> taken(points, 0);
  std::vector<int> seeds;
  while (static_cast<int>(seeds.size()) < count) {
    const uint32_t size = static_cast<uint32_t>(points);
    const uint32_t chosen = seeding == Seeding::Libcxx ? below_libcxx(draw, size) : below_libstdcxx(draw, size);
    if (taken[chosen]) continue;
    taken[chosen] = 1;
    seeds.push_back(static_cast<int>(chosen));
  }
  return seeds;
}

std::vector<int> far_apart(std::span<const Vec3> points, int count, int seed) {
  Random random(static_cast<uint64_t>(seed));
  std::vector<int> seeds = {random.below(static_cast<int>(points.size()))};
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  while (true) {
    size_t farthest = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      distance[i] = std::min(distance[i], (points[i] - points[static_cast<size_t>(seeds.back())]).squaredNorm());
      if (distance[i] > distance[farthest]) farthest = i;
    }
    if (static_cast<int>(seeds.size()) == count) return seeds;
    seeds.push_back(static_cast<int>(farthest));
  }
}

}  // namespace

std::vector<int> choose_seeds(std::span<const Vec3> points, int count, Seeding seeding, int seed) {
  return seeding == Seeding::Spread ? far_apart(points, count, seed) : by_chance(points.size(), count, seeding);
}

}  // namespace crumple::clusters
