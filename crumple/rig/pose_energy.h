#pragma once

#include <vector>

#include "crumple/rig/pose_reduce.h"

namespace crumple {

/// Where handles are: x_i = sum_b W_ib (turn_b (u_i - p_b) + place_b).
struct HandlePlaces {
  std::vector<Mat3> turn;   // #handles, rotations
  std::vector<Vec3> place;  // #handles: where the handle itself goes
};

/// Which of a pose's numbers may change: rows of gradient and Hessian, -1 for held ones.
struct PoseFreedom {
  std::vector<int> turn, place;  // #handles: the first of three rows
  int count = 0;
};

/// How far a skinned body is from being rigid everywhere, as a function of its handles alone.
///
/// E = 1/V sum_t V_t |F_t - R_k(t)|^2 + sum_bc a_bc |turn_b - turn_c|^2        F_t: gradient of element t
///   = 1/V (tr(T^T H T) - 2 sum_k R_k : S_k(T)) + 3                              R_k: the best rotation of its cluster
///
/// A drawing has two dimensions: handles move in its plane and turn about z alone.
/// The second sum is small: neighbouring handles would rather turn alike. Rigid motions cost nothing.
/// T stacks turn^T and place^T of all handles (4 rows each), H = M^T L M and S_k are linear in T and made once, so that neither
/// vertices nor tetrahedra are looked at again [Jacobson et al. 2012, section 4].
class PoseEnergy {
 public:
  /// 0 clusters: as many as are good for the rig.
  explicit PoseEnergy(const Asset& asset, int clusters = 0);

  /// The energy; sets the rotations of the clusters, which are also the guess (as many as there are clusters, or none).
  double evaluate(const HandlePlaces& at, std::vector<Mat3>& rotations) const;

  /// First and second derivatives by turning vectors (turn -> exp([w]x) turn) and places, the clusters' rotations following. The Hessian
  /// is exact but where a cluster is crushed so flat that its rotation is about to flip; there it is held finite.
  void derivatives(const HandlePlaces& at, const std::vector<Mat3>& rotations, const PoseFreedom& free, Eigen::VectorXd& gradient,
                   Eigen::MatrixXd& hessian) const;

  /// How hard each free number is to change while everything else stays; never 0.
  Eigen::VectorXd stiffness(const PoseFreedom& free) const;

  bool is_flat() const { return !data_.upright.empty(); }
  size_t clusters() const { return data_.first.size() - 1; }
  size_t handles() const { return data_.reach.size(); }
  double reach(size_t handle) const { return data_.reach[handle]; }

 private:
  Eigen::MatrixXd stack(const HandlePlaces& at) const;
  Mat3 summed_gradient(const HandlePlaces& at, size_t cluster) const;
  Eigen::MatrixXd slopes(const HandlePlaces& at, const std::vector<Mat3>& rotations) const;
  void keep_in_plane(const PoseFreedom& free, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian) const;
  void add_quadratic(const HandlePlaces& at, const PoseFreedom& free, Eigen::MatrixXd& hessian) const;
  void add_clusters(const HandlePlaces& at, const std::vector<Mat3>& rotations, const PoseFreedom& free, Eigen::MatrixXd& hessian) const;

  PoseReduction data_;
};

}  // namespace crumple
