#include "crumple/rigid/tet_clusters.h"

#include <algorithm>
#include <cmath>

namespace crumple::rigid {
namespace {

constexpr int kRounds = 50;  // of k-means; by then clusters hardly move

/// Farthest-point start: the point farthest from the middle, then always the one farthest from all chosen.
std::vector<Vec3> far_apart(std::span<const Vec3> points, int count) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : points) mean += point / static_cast<double>(points.size());
  std::vector<double> distance(points.size());
  for (size_t i = 0; i < points.size(); ++i) distance[i] = (points[i] - mean).squaredNorm();
  std::vector<Vec3> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    const size_t farthest = std::max_element(distance.begin(), distance.end()) - distance.begin();
    if (!chosen.empty() && !(distance[farthest] > 0)) break;
    chosen.push_back(points[farthest]);
    for (size_t i = 0; i < points.size(); ++i) {
      const double squared = (points[i] - chosen.back()).squaredNorm();
      distance[i] = chosen.size() == 1 ? squared : std::min(distance[i], squared);
    }
  }
  return chosen;
}

bool assign_to_nearest(std::span<const Vec3> points, std::span<const Vec3> centers, std::vector<int>& labels) {
  bool changed = false;
  for (size_t i = 0; i < points.size(); ++i) {
    int best = 0;
    for (size_t c = 1; c < centers.size(); ++c)
      if ((points[i] - centers[c]).squaredNorm() < (points[i] - centers[best]).squaredNorm()) best = static_cast<int>(c);
    changed |= labels[i] != best;
    labels[i] = best;
  }
  return changed;
}

void move_to_means(std::span<const Vec3> points, std::span<const int> labels, std::vector<Vec3>& centers) {
  std::vector<Vec3> sums(centers.size(), Vec3::Zero());
  std::vector<int> counts(centers.size(), 0);
  for (size_t i = 0; i < points.size(); ++i) sums[labels[i]] += points[i], ++counts[labels[i]];
  for (size_t c = 0; c < centers.size(); ++c)
    if (counts[c] > 0) centers[c] = sums[c] / counts[c];
}

}  // namespace

std::vector<Members> k_means(const std::vector<Vec3>& centers_of_tets, const Members& members, int count) {
  std::vector<Vec3> points;
  for (const int tet : members) points.push_back(centers_of_tets[tet]);
  std::vector<Vec3> centers = far_apart(points, count);
  std::vector<int> labels(points.size(), -1);
  for (int round = 0; round < kRounds && assign_to_nearest(points, centers, labels); ++round) move_to_means(points, labels, centers);
  std::vector<Members> clusters(centers.size());
  for (size_t i = 0; i < members.size(); ++i) clusters[labels[i]].push_back(members[i]);
  std::erase_if(clusters, [](const Members& cluster) { return cluster.empty(); });
  return clusters;
}

std::array<Vec3, 2> cut_normals(std::span<const Vec3> points, const Vec3& outward) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& point : points) mean += point / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& point : points) spread += (point - mean) * (point - mean).transpose();
  const Vec3 u = outward.unitOrthogonal(), v = outward.cross(u);
  const double angle = 0.5 * std::atan2(2 * u.dot(spread * v), u.dot(spread * u) - v.dot(spread * v));
  const Vec3 most = std::cos(angle) * u + std::sin(angle) * v;
  return {most, outward.cross(most)};
}

std::vector<Members> cut_by_plane(std::span<const Vec3> centers, const Members& members, const Vec3& at, const Vec3& normal) {
  std::vector<Members> sides(2);
  for (size_t i = 0; i < members.size(); ++i) sides[(centers[i] - at).dot(normal) > 0].push_back(members[i]);
  return sides;
}

std::vector<int> share_out(std::span<const double> sizes, int count) {
  std::vector<int> shares(sizes.size(), 1);
  for (int given = static_cast<int>(sizes.size()); given < count; ++given) {
    size_t neediest = 0;
    for (size_t i = 1; i < sizes.size(); ++i)
      if (sizes[i] * shares[neediest] > sizes[neediest] * shares[i]) neediest = i;
    ++shares[neediest];
  }
  return shares;
}

}  // namespace crumple::rigid
