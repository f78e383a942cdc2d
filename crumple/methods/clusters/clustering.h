#pragma once

#include <span>
#include <vector>

#include "crumple/methods/clusters/clusters.h"

/// Overlapping clusters by a variation of fuzzy c-means [Jones et al. 2015].
namespace crumple::clusters {

struct Clustering {
  int clusters = 0;   // number in use
  double radius = 0;  // m, in use
  std::vector<Vec3> centers;
  std::vector<std::vector<int32_t>> members;  // #clusters, ascending
  std::vector<std::vector<double>> weights;   // #clusters: by the kernel
};

/// Initial particles of fuzzy c-means: all different.
std::vector<int> choose_seeds(std::span<const Vec3> points, int count, Seeding seeding, int seed);

/// Radius at which a particle is in about three of `clusters` clusters.
double usual_radius(std::span<const Vec3> points, int clusters, double spacing);

/// Fails if no number of clusters up to the number of particles covers them.
Result<Clustering> cluster(std::span<const Vec3> points, std::span<const double> masses, const Settings& settings, double radius);

}  // namespace crumple::clusters
