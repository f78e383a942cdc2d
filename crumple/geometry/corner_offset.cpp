#include "crumple/geometry/corner_offset.h"

#include <algorithm>
#include <vector>

namespace crumple {
namespace {

// More planes than this through one corner are not tried three by three.
constexpr size_t kMaxTried = 8;

/// The shortest step by 1 to the inside of each of these one to three planes; not finite or huge if they are not independent.
Vec3 shortest_step(std::span<const Vec3> normals) {
  if (normals.size() == 1) return -normals[0];
  if (normals.size() == 2) return -(normals[0] + normals[1]) / (1 + normals[0].dot(normals[1]));
  // From the triple product: w.n = -1 for all three.
  const double volume = normals[0].dot(normals[1].cross(normals[2]));
  return -(normals[0].cross(normals[1]) + normals[1].cross(normals[2]) + normals[2].cross(normals[0])) / volume;
}

bool clears_all(const Vec3& step, std::span<const Vec3> normals) {
  return std::all_of(normals.begin(), normals.end(), [&](const Vec3& normal) { return normal.dot(step) <= -1 + 1e-6; });
}

std::vector<Vec3> distinct(std::span<const Vec3> normals) {
  std::vector<Vec3> result;
  for (const Vec3& normal : normals) {
    if (std::none_of(result.begin(), result.end(), [&](const Vec3& other) { return (other - normal).norm() < 1e-6; })) result.push_back(normal);
  }
  return result;
}

/// Keeps the shorter of two steps if the second clears all planes and is short enough.
void consider(const std::vector<Vec3>& chosen, std::span<const Vec3> normals, double longest, Vec3& best) {
  const Vec3 step = shortest_step(chosen);
  const double length = step.norm();
  if (length <= longest && clears_all(step, normals) && (best.isZero() || length < best.norm())) best = step;
}

/// The shortest step that clears all planes and lies on `count` of the moved ones; zero if there is none.
Vec3 step_on(size_t count, const std::vector<Vec3>& normals, double longest) {
  Vec3 best = Vec3::Zero();
  for (size_t i = 0; i < normals.size(); ++i) {
    if (count == 1) consider({normals[i]}, normals, longest, best);
    for (size_t j = i + 1; count > 1 && j < normals.size(); ++j) {
      if (count == 2) consider({normals[i], normals[j]}, normals, longest, best);
      for (size_t k = j + 1; count > 2 && k < normals.size(); ++k) consider({normals[i], normals[j], normals[k]}, normals, longest, best);
    }
  }
  return best;
}

/// Straight away from the mean normal, far enough for all.
Vec3 mean_step(const std::vector<Vec3>& normals, double longest) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& normal : normals) mean += normal;
  if (mean.norm() < 1e-12) return Vec3::Zero();
  const Vec3 direction = -mean.normalized();
  double slowest = 1;
  for (const Vec3& normal : normals) slowest = std::min(slowest, -normal.dot(direction));
  return direction * (slowest * longest > 1 ? 1 / slowest : longest);
}

}  // namespace

Vec3 corner_offset(std::span<const Vec3> normals, double longest) {
  const std::vector<Vec3> planes = distinct(normals);
  if (planes.empty()) return Vec3::Zero();
  if (planes.size() <= kMaxTried) {
    for (const size_t count : {3u, 2u, 1u}) {
      const Vec3 step = step_on(count, planes, longest);
      if (!step.isZero()) return step;
    }
  }
  return mean_step(planes, longest);
}

}  // namespace crumple
