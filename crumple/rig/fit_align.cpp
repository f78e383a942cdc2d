#include "crumple/rig/fit_align.h"

#include <cmath>
#include <vector>

#include "crumple/rig/fit_problem.h"

namespace crumple {
namespace {

constexpr double kInPlace = 1e-3;    // of the size: a point that moved less stayed
constexpr double kStays = 0.01;      // share of points that must stay for a shape not to have been moved
constexpr double kExplained = 0.25;  // of the squared distances: what a rigid motion must leave at most
constexpr double kPutBack = 0.1;     // share of points that it must put back where they were
constexpr int kAlignRounds = 40;

double squared_distance(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, const Transform& motion) {
  double sum = 0;
  for (size_t i = 0; i < rest.size(); ++i) sum += counts[i] * (motion * rest[i] - shape[i]).squaredNorm();
  return sum;
}

}  // namespace

Transform whole_motion(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double size) {
  Transform motion = nearest_rigid(rest, shape, counts);
  std::vector<double> faded(counts.begin(), counts.end());
  for (int round = 0; round < 2 * kAlignRounds; ++round) {
    for (size_t i = 0; i < rest.size(); ++i) {
      const double distance = (motion * rest[i] - shape[i]).norm() / size;
      // First the sum of distances, which has one minimum; from there on, what is farther than a little counts for nothing.
      faded[i] = counts[i] / (round < kAlignRounds ? distance + 1e-6 : std::pow(1 + std::pow(distance / kInPlace, 2), 2));
    }
    motion = nearest_rigid(rest, shape, faded);
  }
  return motion;
}

double share_in_place(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double distance) {
  double stays = 0, all = 0;
  for (size_t i = 0; i < rest.size(); ++i) {
    all += counts[i];
    if ((rest[i] - shape[i]).norm() <= distance) stays += counts[i];
  }
  return all > 0 ? stays / all : 0;
}

bool was_moved(std::span<const Vec3> rest, std::span<const Vec3> shape, std::span<const double> counts, double size) {
  if (share_in_place(rest, shape, counts, kInPlace * size) >= kStays) return false;
  const double left = squared_distance(rest, shape, counts, nearest_rigid(rest, shape, counts));
  if (left > kExplained * squared_distance(rest, shape, counts, Transform{})) return false;
  const Transform motion = whole_motion(rest, shape, counts, size);
  std::vector<Vec3> moved;
  for (const Vec3& p : rest) moved.push_back(motion * p);
  return share_in_place(moved, shape, counts, kInPlace * size) >= kPutBack;
}

}  // namespace crumple
