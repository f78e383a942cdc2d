#include "crumple/geometry/noise.h"

#include <cmath>

namespace crumple {
namespace {

/// -1 to 1, without a pattern.
double random_at(int64_t x, int64_t y, int64_t z, uint32_t seed) {
  uint64_t hash = seed + 0x9e3779b97f4a7c15u;
  for (const int64_t k : {x, y, z}) {
    hash = (hash ^ static_cast<uint64_t>(k)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return static_cast<double>(hash >> 11) * 0x1.0p-52 - 1;
}

}  // namespace

double value_noise(const Vec3& place, uint32_t seed) {
  int64_t cell[3];
  double share[3];
  for (int k = 0; k < 3; ++k) {
    const double low = std::floor(place[k]), t = place[k] - low;
    cell[k] = static_cast<int64_t>(low);
    share[k] = t * t * (3 - 2 * t);
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    for (int k = 0; k < 3; ++k) weight *= corner >> k & 1 ? share[k] : 1 - share[k];
    sum += weight * random_at(cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2 & 1), seed);
  }
  return sum;
}

}  // namespace crumple
