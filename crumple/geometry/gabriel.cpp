#include "crumple/geometry/gabriel.h"

#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"
#include "crumple/geometry/near_grid.h"

namespace crumple {
namespace {

constexpr size_t kCandidates = 26;
constexpr double kInside = 1e-9;  // of the squared distance: points on the ball, as in a lattice, count as inside

/// Of the nearest ones, nearest first, those with nothing in between. Whatever lies in between is nearer.
void keep_neighbors(std::span<const Vec3> points, int a, std::vector<Near>& near) {
  const Vec3& p = points[at(a)];
  std::vector<Near> kept;
  for (size_t j = 0; j < near.size(); ++j) {
    const Vec3& q = points[at(near[j].point)];
    const auto is_between = [&](const Near& other) {
      const Vec3& r = points[at(other.point)];
      return (r - p).dot(r - q) < kInside * near[j].squared;
    };
    if (std::none_of(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(j), is_between)) kept.push_back(near[j]);
  }
  near = std::move(kept);
}

}  // namespace

std::vector<std::array<int32_t, 2>> gabriel_pairs(std::span<const Vec3> points, double spacing) {
  const NearGrid grid(points, 1.5 * spacing, {});
  constexpr size_t kChunk = 512;
  std::vector<std::vector<std::array<int32_t, 2>>> found(points.size() / kChunk + 1);
  parallel_for(points.size(), kChunk, [&](size_t begin, size_t end) {
    std::vector<Near> near;
    for (size_t i = begin; i < end; ++i) {
      const int a = static_cast<int>(i);
      near.clear();
      grid.nearest(a, kCandidates, 0, near);
      std::sort(near.begin(), near.end());
      keep_neighbors(points, a, near);
      for (const Near& n : near) found[begin / kChunk].push_back({std::min(a, n.point), std::max(a, n.point)});
    }
  });
  std::vector<std::array<int32_t, 2>> pairs;
  for (const auto& some : found) pairs.insert(pairs.end(), some.begin(), some.end());
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace crumple
