#pragma once

#include <vector>

#include "crumple/rig/asset.h"

namespace crumple {

/// What of a skinned body its as-rigid-as-possible energy depends on, in terms of handles: x_i = sum_b W_ib (turn_b (u_i - p_b) + place_b).
struct PoseReduction {
  /// How one handle enters the summed gradient of one cluster: S_k += turn * linear + place * shift^T.
  struct Part {
    int handle = 0;
    Mat3 linear = Mat3::Zero();
    Vec3 shift = Vec3::Zero();
  };
  Eigen::MatrixXd quadratic;  // 4 #handles squared: M^T L M, for each handle the rows of turn^T and then of place^T
  std::vector<Part> parts;    // by cluster, then by handle
  std::vector<int> first;     // #clusters + 1, into parts
  std::vector<double> upright;  // of a drawing, #clusters: added to the summed gradient across the plane, so that no cluster turns out of it; otherwise empty
  std::vector<double> reach;  // #handles: how far from it what it moves is (root of the mean square)
};

/// Everything is divided by the body's volume. Elements without volume do not count. `cluster` is that of each element.
PoseReduction reduce_to_handles(const Asset& asset, const std::vector<int>& cluster);

}  // namespace crumple
