#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "crumple/geometry/geodesic.h"

namespace crumple {

/// The smoothing kernel around one vertex: who feels a hit there, and how much.
struct SpreadRow {
  std::vector<int> vertices;
  std::vector<float> values;  // phi in (0, 1], paper 1, eq. 12
};

/// phi(x), x = distance / radius. paper 1, eq. 12
inline float cubic_kernel(float x) {
  return x < 1 ? (2 * x - 3) * x * x + 1 : 0.0f;
}

/// Kernel rows of one mesh and radius, computed when first asked for and kept for all bodies (a row never changes: distances are
/// those of the rest shape). Any thread may ask; what it gets does not depend on who asked first.
class SpreadRows {
 public:
  /// `factors` of the radius, one for each vertex, widen or narrow the row of the vertex that is hit; 0 leaves it alone. None: 1 everywhere.
  SpreadRows(const EdgeGraph& graph, double radius, std::span<const float> factors = {});
  std::shared_ptr<const SpreadRow> row(int vertex);

 private:
  const EdgeGraph& graph_;
  double radius_;
  std::span<const float> factors_;  // #vertices or empty
  std::shared_mutex mutex_;
  std::vector<std::shared_ptr<const SpreadRow>> rows_;  // #vertices, empty until asked for
  size_t kept_bytes_ = 0;
};

/// The rows of one mesh, painted in one way, for every radius in use. The graph and the factors must outlive it.
class SpreadLibrary {
 public:
  std::shared_ptr<SpreadRows> rows(const EdgeGraph& graph, double radius, std::span<const float> factors = {});

 private:
  std::mutex mutex_;
  std::map<double, std::shared_ptr<SpreadRows>> rows_;
};

}  // namespace crumple
