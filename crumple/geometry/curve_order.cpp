#include "crumple/geometry/curve_order.h"

#include <algorithm>
#include <cstdint>

namespace crumple {
namespace {

constexpr int kBits = 16;  // of each coordinate

/// Two zeros before each bit.
uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 32) & 0xFFFF00000000FFFFu;
  bits = (bits | bits << 16) & 0x00FF0000FF0000FFu;
  bits = (bits | bits << 8) & 0xF00F00F00F00F00Fu;
  bits = (bits | bits << 4) & 0x30C30C30C30C30C3u;
  return (bits | bits << 2) & 0x9249249249249249u;
}

}  // namespace

std::vector<int> curve_order(std::span<const Vec3> points) {
  if (points.empty()) return {};
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double longest = (high - low).maxCoeff(), cells = static_cast<double>((1 << kBits) - 1);
  std::vector<std::pair<uint64_t, int>> rows;
  rows.reserve(points.size());
  for (const Vec3& p : points) {
    const Vec3 at = longest > 0 ? Vec3((p - low) / longest * cells) : Vec3(Vec3::Zero());
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) key |= spread(static_cast<uint64_t>(at[k])) << (2 - k);
    rows.emplace_back(key, static_cast<int>(rows.size()));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<int> order;
  order.reserve(rows.size());
  for (const auto& [key, point] : rows) order.push_back(point);
  return order;
}

}  // namespace crumple
