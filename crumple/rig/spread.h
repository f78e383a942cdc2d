#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "crumple/geometry/geodesic.h"
#include "crumple/rig/paint.h"

namespace crumple {

/// The smoothing kernel around one vertex: vertices affected by a hit there, and their weights.
struct SpreadRow {
  std::vector<int> vertices;
  std::vector<float> values;  // phi in (0, 1], paper 1, eq. 12, times the painted gain of the vertex that feels it
};

/// phi(x), x = distance / radius. paper 1, eq. 12
inline float cubic_kernel(float x) {
  return x < 1 ? (2 * x - 3) * x * x + 1 : 0.0f;
}

/// Kernel rows of one mesh and radius, computed lazily and kept for all bodies (a row never changes: distances are those of the
/// rest shape). Thread-safe; the result does not depend on the order of calls.
class SpreadRows {
 public:
  /// A painted radius widens or narrows the row of the vertex that is hit; 0 leaves that vertex alone. A painted gain acts on those that
  /// are reached: a strong part keeps its shape however near the hit. Both arguments must outlive the rows.
  SpreadRows(const EdgeGraph& graph, double radius, const PaintedFactors& paint);
  /// The rows of a body that has begun to break: nothing crosses these links any more. Rows far from them stay those of the whole body.
  SpreadRows(std::shared_ptr<SpreadRows> whole, std::span<const uint8_t> broken);
  std::shared_ptr<const SpreadRow> row(int vertex);

 private:
  const EdgeGraph& graph_;
  double radius_;
  const PaintedFactors& paint_;
  std::shared_ptr<SpreadRows> whole_;    // of a body that has begun to break
  std::vector<uint8_t> broken_;          // #links
  std::vector<uint8_t> at_break_;        // #vertices: ends of edges that can no longer be passed
  size_t most_kept_bytes_;
  std::shared_mutex mutex_;
  std::vector<std::shared_ptr<const SpreadRow>> rows_;  // #vertices, empty until asked for
  size_t kept_bytes_ = 0;
};

/// The rows of one mesh, painted in one way, for every radius in use.
class SpreadLibrary {
 public:
  std::shared_ptr<SpreadRows> rows(const EdgeGraph& graph, double radius, const PaintedFactors& paint);

 private:
  std::mutex mutex_;
  std::map<double, std::shared_ptr<SpreadRows>> rows_;
};

}  // namespace crumple
