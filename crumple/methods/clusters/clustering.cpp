#include "crumple/methods/clusters/clustering.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/curve_order.h"
#include "crumple/geometry/point_tree.h"

namespace crumple::clusters {
namespace {

constexpr int kFewestRounds = 5, kMaxRounds = 10000;
constexpr double kSettled = 1e-3;  // of the radius: centres that move less have converged
constexpr double kStuck = 1e-9;    // of the radius: below, the search is stuck, even with particles uncovered
constexpr double kGrow = 1.25;     // growth of clusters and radius while they do not cover all particles
constexpr int kMaxAttempts = 40;
constexpr double kSlack = 0.05;  // of the radius: while a centre moves less, its candidates still contain all members
constexpr double kPull = 1;      // weight of an uncovered particle in its nearest cluster
// With many clusters a few still move long after most have converged, so rounds would grow in number as well as in length.
// Then converged clusters rest until a neighbour moves, and the initial k-means ends early.
constexpr size_t kMany = 512;       // clusters
constexpr double kResting = 1e-4;   // of the radius: centres that would move less do not move
constexpr size_t kRestless = 1000;  // k-means ends when fewer than one particle in this many changes its cluster
constexpr size_t kHopeless = 200;   // an attempt ends early if it leaves more than one particle in this many uncovered
constexpr int kMaxStalledRounds = 10;
constexpr int kPatience = 50;       // rounds until the radius grows to cover the last few particles, instead of a new attempt
constexpr double kMoreThan = 1.01;  // of their distance

/// Particles in a grid of cubes, for radius queries.
class Cells {
 public:
  Cells(std::span<const Vec3> points, double size) : points_(points) {
    low_ = high_ = points[0];
    for (const Vec3& p : points) low_ = low_.cwiseMin(p), high_ = high_.cwiseMax(p);
    // A wide thin cloud must not need many more cells than it has particles.
    const double longest = (high_ - low_).maxCoeff(), most = std::max(64.0, 2 * std::cbrt(static_cast<double>(points.size())));
    size_ = std::max({size, longest / most, 1e-300});
    for (int k = 0; k < 3; ++k) count_[k] = static_cast<int>((high_[k] - low_[k]) / size_) + 1;
    const size_t cells = static_cast<size_t>(count_[0]) * static_cast<size_t>(count_[1]) * static_cast<size_t>(count_[2]);
    begin_.assign(cells + 1, 0);
    for (const Vec3& p : points) ++begin_[cell(p) + 1];
    for (size_t c = 0; c < cells; ++c) begin_[c + 1] += begin_[c];
    std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
    order_.resize(points.size());
    for (size_t i = 0; i < points.size(); ++i) order_[static_cast<size_t>(next[cell(points[i])]++)] = static_cast<int32_t>(i);
  }

  void within(const Vec3& center, double radius, std::vector<int32_t>& found) const {
    found.clear();
    int first[3], last[3];
    for (int k = 0; k < 3; ++k) {
      first[k] = std::clamp(static_cast<int>(std::floor((center[k] - radius - low_[k]) / size_)), 0, count_[k] - 1);
      last[k] = std::clamp(static_cast<int>(std::floor((center[k] + radius - low_[k]) / size_)), 0, count_[k] - 1);
    }
    const double radius2 = radius * radius;
    for (int x = first[0]; x <= last[0]; ++x) {
      for (int y = first[1]; y <= last[1]; ++y) {
        const size_t row = (static_cast<size_t>(x) * static_cast<size_t>(count_[1]) + static_cast<size_t>(y)) * static_cast<size_t>(count_[2]);
        for (int32_t k = begin_[row + static_cast<size_t>(first[2])]; k < begin_[row + static_cast<size_t>(last[2]) + 1]; ++k) {
          const int32_t i = order_[static_cast<size_t>(k)];
          if ((points_[static_cast<size_t>(i)] - center).squaredNorm() <= radius2) found.push_back(i);
        }
      }
    }
  }

 private:
  size_t cell(const Vec3& p) const {
    size_t at = 0;
    for (int k = 0; k < 3; ++k)
      at = at * static_cast<size_t>(count_[k]) + static_cast<size_t>(std::clamp(static_cast<int>((p[k] - low_[k]) / size_), 0, count_[k] - 1));
    return at;
  }
  std::span<const Vec3> points_;
  Vec3 low_, high_;
  double size_ = 1;
  int count_[3] = {1, 1, 1};
  std::vector<int32_t> begin_, order_;
};

/// The nearest centre of a point, with distance bounds that stay valid while centres move [Hamerly 2010].
struct Label {
  int center = -1;
  double near = 0;   // upper bound of its distance
  double other = 0;  // lower bound of the distance of all others
};

/// Tests one point again if its nearest centre may have changed; true if it has.
bool relabel(const PointTree& tree, const std::vector<Vec3>& centers, const Vec3& point, Label& label) {
  if (label.center >= 0) {
    if (label.near < label.other) return false;
    label.near = (centers[static_cast<size_t>(label.center)] - point).norm();
    if (label.near < label.other) return false;
  }
  const std::vector<PointTree::Hit> nearest = tree.nearest_few(point, 2);
  const bool changed = nearest[0].point != label.center;
  const double other = nearest.size() > 1 ? nearest[1].distance : std::numeric_limits<double>::infinity();
  label = {nearest[0].point, nearest[0].distance, other};
  return changed;
}

/// Moves centres to the mean of their points; returns the distance of each move.
std::vector<double> recenter(std::span<const Vec3> points, std::span<const double> masses, std::span<const Label> labels,
                             std::vector<Vec3>& centers) {
  std::vector<Vec3> sums(centers.size(), Vec3::Zero());
  std::vector<double> total(centers.size(), 0.0), moved(centers.size(), 0.0);
  for (size_t i = 0; i < points.size(); ++i) {
    const size_t c = static_cast<size_t>(labels[i].center);
    sums[c] += masses[i] * points[i], total[c] += masses[i];
  }
  for (size_t c = 0; c < centers.size(); ++c) {
    if (!(total[c] > 0)) continue;
    const Vec3 next = sums[c] / total[c];
    moved[c] = (next - centers[c]).norm();
    centers[c] = next;
  }
  return moved;
}

/// Plain k-means, until no particles, or very few, change their cluster.
void k_means(std::span<const Vec3> points, std::span<const double> masses, std::vector<Vec3>& centers) {
  constexpr size_t kChunk = 1024;
  constexpr double kRounding = 1e-12;
  std::vector<Label> labels(points.size());
  std::vector<size_t> changed((points.size() + kChunk - 1) / kChunk);
  const size_t few = centers.size() < kMany ? 0 : points.size() / kRestless;
  for (int round = 0; round < kMaxRounds; ++round) {
    const PointTree tree(centers);
    parallel_for(points.size(), kChunk, [&](size_t begin, size_t end) {
      changed[begin / kChunk] = 0;
      for (size_t i = begin; i < end; ++i) changed[begin / kChunk] += relabel(tree, centers, points[i], labels[i]) ? 1 : 0;
    });
    if (std::accumulate(changed.begin(), changed.end(), size_t{0}) <= few) return;
    const std::vector<double> moved = recenter(points, masses, labels, centers);
    const double most = *std::max_element(moved.begin(), moved.end());
    for (Label& label : labels) {
      label.near = (label.near + moved[static_cast<size_t>(label.center)]) * (1 + kRounding);
      label.other = (label.other - most) * (1 - kRounding);
    }
  }
}

double weight(const Settings& settings, double radius, double distance2) {
  switch (settings.kernel) {
    case Kernel::InverseSquare: {
      const double core = settings.core > 0 ? settings.core : radius / 20;
      return 1 / (distance2 + core * core);
    }
    case Kernel::Constant:
      return 1;
    case Kernel::Poly6:
      return std::max(1e-3, std::pow(std::max(0.0, 1 - distance2 / (radius * radius)), 3));
  }
  return 1;
}

/// Possible members of a cluster while its centre stays near a point.
struct Candidates {
  Vec3 place = Vec3::Zero();
  double slack = -1;  // m
  std::vector<int32_t> particles;
};

/// Members within the radius, with their weights.
void find_members(std::span<const Vec3> points, const Cells& cells, const Settings& settings, double radius, std::span<const uint8_t> moved,
                  std::vector<Candidates>& candidates, Clustering& clustering) {
  parallel_for(clustering.centers.size(), 1, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      if (!moved[c]) continue;
      const Vec3& center = clustering.centers[c];
      Candidates& near = candidates[c];
      if (!((center - near.place).norm() < near.slack)) {
        near.place = center, near.slack = kSlack * radius;
        cells.within(center, (1 + kSlack) * radius, near.particles);
      }
      std::vector<int32_t>& members = clustering.members[c];
      std::vector<double>& weights = clustering.weights[c];
      members.clear(), weights.clear();
      for (const int32_t i : near.particles) {
        const double distance2 = (points[static_cast<size_t>(i)] - center).squaredNorm();
        if (distance2 <= radius * radius) members.push_back(i), weights.push_back(weight(settings, radius, distance2));
      }
    }
  });
}

struct Round {
  double moved = 0;  // of the radius
  size_t uncovered = 0;
  double farthest = 0;  // m: largest distance of an uncovered particle from its nearest centre
};

/// Clusters that have to be updated.
struct Awake {
  std::vector<uint8_t> moved;    // #clusters: in the last round
  std::vector<uint8_t> touched;  // #clusters: shares a particle with a moved cluster
};

/// Sum of the weights of each particle over all its clusters.
std::vector<double> total_weights(size_t points, const Clustering& clustering) {
  std::vector<double> total(points, 0.0);
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    for (size_t k = 0; k < clustering.members[c].size(); ++k) total[static_cast<size_t>(clustering.members[c][k])] += clustering.weights[c][k];
  }
  return total;
}

/// Moves centres to the mean of their members, weighted by share. An uncovered particle pulls its nearest centre.
Round move_centers(std::span<const Vec3> points, std::span<const double> masses, double radius, Awake& awake, Clustering& clustering) {
  const std::vector<double> total = total_weights(points.size(), clustering);
  const size_t clusters = clustering.centers.size();
  Round round;
  std::vector<std::pair<size_t, size_t>> pulled;  // cluster, particle
  std::optional<PointTree> tree;
  for (size_t i = 0; i < points.size(); ++i) {
    if (total[i] > 0) continue;
    ++round.uncovered;
    if (!tree) tree.emplace(clustering.centers);
    const PointTree::Hit nearest = tree->nearest(points[i]);
    round.farthest = std::max(round.farthest, nearest.distance);
    pulled.emplace_back(static_cast<size_t>(nearest.point), i);
    awake.touched[pulled.back().first] = 1;
  }
  std::vector<Vec3> sums(clusters, Vec3::Zero());
  std::vector<double> mass(clusters, 0.0);
  for (size_t c = 0; c < clusters; ++c) {
    if (!awake.touched[c]) continue;
    for (size_t k = 0; k < clustering.members[c].size(); ++k) {
      const size_t i = static_cast<size_t>(clustering.members[c][k]);
      const double share = masses[i] * clustering.weights[c][k] / total[i];
      sums[c] += share * points[i], mass[c] += share;
    }
  }
  for (const auto& [c, i] : pulled) sums[c] += kPull * masses[i] * points[i], mass[c] += kPull * masses[i];
  const double resting = clusters < kMany ? 0 : kResting;
  for (size_t c = 0; c < clusters; ++c) {
    awake.moved[c] = clusters < kMany;
    if (!(mass[c] > 0)) continue;
    const Vec3 center = sums[c] / mass[c];
    const double way = (center - clustering.centers[c]).norm() / radius;
    if (way < resting) continue;
    round.moved = std::max(round.moved, way);
    clustering.centers[c] = center, awake.moved[c] = 1;
  }
  return round;
}

/// Particles of clusters that have moved.
void mark_members(const Clustering& clustering, const Awake& awake, std::vector<uint8_t>& marked) {
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    if (!awake.moved[c]) continue;
    for (const int32_t i : clustering.members[c]) marked[static_cast<size_t>(i)] = 1;
  }
}

void wake_neighbors(const Clustering& clustering, const std::vector<uint8_t>& marked, Awake& awake) {
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    const std::vector<int32_t>& members = clustering.members[c];
    awake.touched[c] = awake.moved[c] || std::any_of(members.begin(), members.end(), [&](int32_t i) { return marked[static_cast<size_t>(i)] != 0; });
  }
}

/// Sorts members in ascending order, for memory locality.
void sort_members(Clustering& clustering) {
  for (size_t c = 0; c < clustering.members.size(); ++c) {
    std::vector<std::pair<int32_t, double>> rows;
    for (size_t k = 0; k < clustering.members[c].size(); ++k) rows.emplace_back(clustering.members[c][k], clustering.weights[c][k]);
    std::sort(rows.begin(), rows.end());
    for (size_t k = 0; k < rows.size(); ++k) std::tie(clustering.members[c][k], clustering.weights[c][k]) = rows[k];
  }
}

/// Sorts many clusters so that those near each other in space are near each other in memory.
void sort_clusters(Clustering& clustering) {
  if (clustering.centers.size() < kMany) return;
  Clustering sorted;
  sorted.clusters = clustering.clusters, sorted.radius = clustering.radius;
  for (const int number : curve_order(clustering.centers)) {
    const size_t c = static_cast<size_t>(number);
    sorted.centers.push_back(clustering.centers[c]);
    sorted.members.push_back(std::move(clustering.members[c])), sorted.weights.push_back(std::move(clustering.weights[c]));
  }
  clustering = std::move(sorted);
}

/// One attempt with a number of clusters and a radius. True if it converged and covers all particles.
bool settle(std::span<const Vec3> points, std::span<const double> masses, const Settings& settings, Clustering& clustering) {
  double& radius = clustering.radius;
  const double most = kGrow * radius;
  const Cells cells(points, radius / 2);
  const size_t clusters = clustering.centers.size();
  std::vector<Candidates> candidates(clusters);
  Awake awake = {std::vector<uint8_t>(clusters, 1), std::vector<uint8_t>(clusters, 1)};
  std::vector<uint8_t> marked;
  std::vector<size_t> before;
  for (int round = 0; round < kMaxRounds; ++round) {
    marked.assign(points.size(), 0);
    mark_members(clustering, awake, marked);  // members before the update and, below, after it
    find_members(points, cells, settings, radius, awake.moved, candidates, clustering);
    mark_members(clustering, awake, marked);
    wake_neighbors(clustering, marked, awake);
    std::vector<size_t> counts;
    for (const std::vector<int32_t>& members : clustering.members) counts.push_back(members.size());
    const bool same = counts == before;
    before = counts;
    const std::vector<Vec3> centers = clustering.centers;
    const Round now = move_centers(points, masses, radius, awake, clustering);
    if (clusters >= kMany && round == kMaxStalledRounds && now.uncovered > points.size() / kHopeless) return false;
    if (clusters >= kMany && now.uncovered > 0 && (round % kPatience == kPatience - 1 || now.moved < kStuck)) {
      radius = kMoreThan * now.farthest;
      if (!(radius < most)) return false;
      candidates.assign(clusters, {}), awake.moved.assign(clusters, 1);
      continue;
    }
    if (round + 1 < kFewestRounds || !same || now.moved > kSettled) continue;
    if (now.uncovered == 0) {
      clustering.centers = centers;  // the centres of these members and weights
      sort_members(clustering);
      sort_clusters(clustering);
      return true;
    }
    if (now.moved < kStuck) return false;
  }
  return false;
}

}  // namespace

double usual_radius(std::span<const Vec3> points, int clusters, double spacing) {
  // The clusters' balls have three times the volume of the particles; each particle fills about 0.75 spacing^3.
  const double volume = 3 * 0.75 * static_cast<double>(points.size()) * spacing * spacing * spacing / clusters;
  return std::cbrt(volume * 3 / (4 * std::numbers::pi));
}

Result<Clustering> cluster(std::span<const Vec3> points, std::span<const double> masses, const Settings& settings, double radius) {
  int count = std::min(settings.clusters, static_cast<int>(points.size()));
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    Clustering clustering;
    clustering.clusters = count, clustering.radius = radius;
    clustering.members.resize(static_cast<size_t>(count)), clustering.weights.resize(static_cast<size_t>(count));
    for (const int seed : choose_seeds(points, count, settings.seeding, settings.seed))
      clustering.centers.push_back(points[static_cast<size_t>(seed)]);
    k_means(points, masses, clustering.centers);
    if (settle(points, masses, settings, clustering)) return clustering;
    count = std::min(static_cast<int>(std::ceil(kGrow * count)), static_cast<int>(points.size()));
    radius *= kGrow;
  }
  return input_error(
      fmt::format("clusters: {} clusters with a radius of {:.6g} m, and up to {} with {:.6g} m, do not reach all particles; give a larger radius or "
                  "more clusters",
                  settings.clusters, settings.radius, count, radius));
}

}  // namespace crumple::clusters
