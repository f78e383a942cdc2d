#include <algorithm>
#include <numeric>
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
  std::mt19937 draw;  // with its standard seed; its output is standardised, unlike that of distributions
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

/// A group of near points, and the one of them farthest from all seeds.
struct Bunch {
  size_t begin, end;  // in the order of bunches
  Vec3 low, high;
  double distance = std::numeric_limits<double>::infinity();  // squared
  int farthest = 0;
};

/// Cuts points in two along their greatest extent until few are left.
void make_bunches(std::span<const Vec3> points, std::vector<int>& order, size_t begin, size_t end, std::vector<Bunch>& bunches) {
  constexpr size_t kFew = 64;
  Bunch bunch{begin, end, points[static_cast<size_t>(order[begin])], points[static_cast<size_t>(order[begin])]};
  for (size_t k = begin; k < end; ++k) {
    const Vec3& p = points[static_cast<size_t>(order[k])];
    bunch.low = bunch.low.cwiseMin(p), bunch.high = bunch.high.cwiseMax(p);
  }
  if (end - begin <= kFew) return bunches.push_back(bunch);
  int axis = 0;
  (bunch.high - bunch.low).maxCoeff(&axis);
  const auto first = order.begin() + static_cast<long>(begin), middle = first + static_cast<long>((end - begin) / 2);
  std::nth_element(first, middle, order.begin() + static_cast<long>(end),
                   [&](int a, int b) { return points[static_cast<size_t>(a)][axis] < points[static_cast<size_t>(b)][axis]; });
  make_bunches(points, order, begin, begin + (end - begin) / 2, bunches);
  make_bunches(points, order, begin + (end - begin) / 2, end, bunches);
}

/// Updates only the bunches that may be nearer to the new seed than to those before.
std::vector<int> far_apart(std::span<const Vec3> points, int count, int seed) {
  Random random(static_cast<uint64_t>(seed));
  std::vector<int> order(points.size()), seeds = {random.below(static_cast<int>(points.size()))};
  std::iota(order.begin(), order.end(), 0);
  std::vector<Bunch> bunches;
  make_bunches(points, order, 0, points.size(), bunches);
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());  // squared, in the order of bunches
  while (static_cast<int>(seeds.size()) < count) {
    const Vec3& last = points[static_cast<size_t>(seeds.back())];
    const Bunch* best = nullptr;
    for (Bunch& bunch : bunches) {
      if ((last.cwiseMax(bunch.low).cwiseMin(bunch.high) - last).squaredNorm() < bunch.distance) {
        bunch.distance = -1;
        for (size_t k = bunch.begin; k < bunch.end; ++k) {
          distance[k] = std::min(distance[k], (points[static_cast<size_t>(order[k])] - last).squaredNorm());
          if (distance[k] > bunch.distance || (distance[k] == bunch.distance && order[k] < bunch.farthest))
            bunch.distance = distance[k], bunch.farthest = order[k];
        }
      }
      if (!best || bunch.distance > best->distance || (bunch.distance == best->distance && bunch.farthest < best->farthest)) best = &bunch;
    }
    seeds.push_back(best->farthest);
  }
  return seeds;
}

}  // namespace

std::vector<int> choose_seeds(std::span<const Vec3> points, int count, Seeding seeding, int seed) {
  return seeding == Seeding::Spread ? far_apart(points, count, seed) : by_chance(points.size(), count, seeding);
}

}  // namespace crumple::clusters
