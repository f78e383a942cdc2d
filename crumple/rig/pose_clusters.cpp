#include "crumple/rig/pose_clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "crumple/geometry/mesh.h"

namespace crumple {
namespace {

/// Of a place, against the weights: clusters stay together in space even where few handles tell elements apart.
constexpr double kNearness = 0.7;
constexpr int kPowerSteps = 8;

struct Features {
  Eigen::MatrixXf rows;        // features x elements
  std::vector<double> volume;  // #elements
};

Features features_of(const Asset& asset) {
  const Elements elements = asset.elements();
  const std::span<const Vec3> positions = elements.positions;
  const size_t count = elements.size(), handles = asset.handles.size();
  const double diagonal = std::max(bounds_of({positions.begin(), positions.end()}).diagonal(), 1e-300), share = 1.0 / static_cast<double>(elements.each());
  Features features;
  features.rows.resize(static_cast<Eigen::Index>(handles + 3), static_cast<Eigen::Index>(count));
  for (size_t t = 0; t < count; ++t) {
    auto column = features.rows.col(static_cast<Eigen::Index>(t));
    column.setZero();
    Vec3 middle = Vec3::Zero();
    for (const int v : elements[t]) {
      const float* weights = &asset.weights[static_cast<size_t>(v) * handles];
      column.head(static_cast<Eigen::Index>(handles)) += static_cast<float>(share) * Eigen::Map<const Eigen::VectorXf>(weights, static_cast<Eigen::Index>(handles));
      middle += share * (positions[static_cast<size_t>(v)] - positions[0]);
    }
    column.tail<3>() = (kNearness / diagonal * middle).cast<float>();
    features.volume.push_back(std::abs(measure_of(elements, t)));
  }
  return features;
}

struct Group {
  std::vector<int> members;
  Eigen::VectorXf middle, axis;  // axis: along which it spreads most
  double spread = 0;             // volume x variance along it
};

void measure(const Features& features, Group& group) {
  double volume = 0;
  group.middle = Eigen::VectorXf::Zero(features.rows.rows());
  for (const int t : group.members) {
    const double v = features.volume[static_cast<size_t>(t)];
    group.middle += static_cast<float>(v) * features.rows.col(t);
    volume += v;
  }
  group.spread = 0;
  if (!(volume > 0)) return;
  group.middle /= static_cast<float>(volume);
  // Power steps from the farthest element; they need not converge, a good axis is enough.
  group.axis = features.rows.col(*std::max_element(group.members.begin(), group.members.end(), [&](int a, int b) {
    return (features.rows.col(a) - group.middle).squaredNorm() < (features.rows.col(b) - group.middle).squaredNorm();
  })) - group.middle;
  Eigen::VectorXf next(features.rows.rows());
  for (int i = 0; i < kPowerSteps; ++i) {
    const float length = group.axis.norm();
    if (!(length > 0)) return;
    group.axis /= length;
    next.setZero();
    for (const int t : group.members) {
      const auto from_middle = features.rows.col(t) - group.middle;
      next += static_cast<float>(features.volume[static_cast<size_t>(t)] / volume) * group.axis.dot(from_middle) * from_middle;
    }
    group.spread = volume * static_cast<double>(group.axis.dot(next));
    group.axis = next;
  }
}

/// What lies beyond the middle goes to the new group; false if that is nothing or all.
bool cut(const Features& features, Group& group, Group& beyond) {
  std::vector<int> here;
  for (const int t : group.members) (group.axis.dot(features.rows.col(t) - group.middle) > 0 ? beyond.members : here).push_back(t);
  if (here.empty() || beyond.members.empty()) return false;
  group.members = std::move(here);
  return true;
}

}  // namespace

std::vector<int> cluster_elements(const Asset& asset, int count) {
  std::vector<int> cluster(asset.elements().size(), 0);
  if (cluster.empty()) return cluster;
  const Features features = features_of(asset);
  std::vector<Group> groups(1);
  groups[0].members.resize(cluster.size());
  std::iota(groups[0].members.begin(), groups[0].members.end(), 0);
  measure(features, groups[0]);
  while (static_cast<int>(groups.size()) < count) {
    const auto widest = std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.spread < b.spread; });
    if (!(widest->spread > 0)) break;
    Group beyond;
    if (!cut(features, *widest, beyond)) {
      widest->spread = 0;
      continue;
    }
    measure(features, *widest);
    measure(features, beyond);
    groups.push_back(std::move(beyond));
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int t : groups[g].members) cluster[static_cast<size_t>(t)] = static_cast<int>(g);
  }
  return cluster;
}

}  // namespace crumple
