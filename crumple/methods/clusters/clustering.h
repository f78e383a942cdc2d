#pragma once

#include <span>
#include <vector>

#include "crumple/methods/clusters/clusters.h"

/// Overlapping clusters by a variation of fuzzy c-means [Jones et al. 2015].
namespace crumple::clusters {

struct Clustering {
  int clusters = 0;   // that were used
  double radius = 0;  // m, that was used
  std::vector<Vec3> centers;
  std::vector<std::vector<int32_t>> members;  // #clusters, ascending
  std::vector<std::vector<double>> weights;   // #clusters: as the kernel says
};

/// Particles that fuzzy c-means begins at: all different.
std::vector<int> choose_seeds(std::span<const Vec3> points, int count, Seeding seeding, int seed);

/// A radius with which a particle is in about three of `clusters` clusters.
double usual_radius(std::span<const Vec3> points, int clusters, double spacing);

/// Fails if no number of clusters up to the number of particles covers them.
Result<Clustering> cluster(std::span<const Vec3> points, std::span<const double> masses, const Settings& settings, double radius);

}  // namespace crumple::clusters
