#pragma once

#include <string>
#include <variant>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/elements.h"

namespace crumple {

/// Holds the nearest vertex.
struct PointHandle {
  Vec3 position = Vec3::Zero();
};
/// Holds the vertices within half a cell of a segment; where there are none, the vertices nearest to points along it. A vertex
/// near several bones belongs to the nearest.
struct BoneHandle {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};
/// Holds the vertices listed.
struct CageHandle {
  std::vector<int> vertices;
};
struct WeightHandle {
  std::string name;
  std::variant<PointHandle, BoneHandle, CageHandle> place;
};

struct WeightSettings {
  enum class Quality {
    Default,  ///< each handle to a residual of 1e-5: finished weights are within 0.003 of the exact ones, usually within 0.0002
    Exact,    ///< each handle to a residual of 1e-8
  };
  Quality quality = Quality::Default;
  double smallest = 1e-4;  // weights below it are dropped
  double reach = 0.1;      // how far from every vertex a handle may be, over the diagonal of the body
};

struct HandleReport {
  std::vector<int> vertices;  // that it holds
  double kkt_residual = 0;    // of its raw weights: greatest gradient that could still be followed, over max |Q w|
  double noise_floor = 0;     // what rounding alone may leave of it
  int rounds = 0;             // of the solver that handles share
  int steps = 0;              // of Newton's method, for a handle that the shared solver brings down too slowly
  int factorizations = 0;     // its own
};

struct WeightsResult {
  std::vector<float> weights;         // #vertices x #handles, row after row; each row sums to 1
  std::vector<double> raw;            // #handles x #vertices, handle after handle: as solved, before rows are made to sum to 1
  std::vector<HandleReport> handles;  // #handles
  double kkt_residual = 0;            // the greatest
  double noise_floor = 0;
  double target = 0;                  // of the residual
  std::vector<std::string> warnings;  // such as a mesh too badly graded for the target
};

/// Bounded biharmonic weights [Jacobson et al. 2011]: handle by handle the smoothest w (least w^T Q w / 2, Q = K M^-1 K) that is 1
/// at its own vertices, 0 at those of the others and in [0, 1] everywhere; then each row is divided by its sum.
Result<WeightsResult> compute_weights(const Elements& mesh, const std::vector<WeightHandle>& handles, const WeightSettings& settings = {});

/// The vertices each handle holds; no vertex is held twice.
Result<std::vector<std::vector<int>>> bind_handles(const Elements& mesh, const std::vector<WeightHandle>& handles, double reach);

}  // namespace crumple
