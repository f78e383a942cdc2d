#pragma once

#include "crumple/rig/aligned.h"
#include "crumple/rig/lane_kernels.h"
#include "crumple/rig/shared_inverse.h"

namespace crumple {

/// Up to sixteen box problems of one energy side by side, by steps on two scales. Sweeps of projected Gauss-Seidel settle which
/// bounds hold and whatever is rough; then the shared inverse, cut down to the rows that may move, gives a direction for what is
/// smooth. That direction and the last one span a plane in which the least energy is found, as conjugate gradients do, but the
/// rows that may move can change every time. The step is bent into the box and shortened so that energy never rises.
template <class T>
class BoxLanes {
 public:
  BoxLanes(const SplitEnergy& energy, const SharedInverse<T>& inverse);

  struct Outcome {
    int rounds = 0;
    std::vector<char> reached;  // #problems: whether its residual is as wanted
  };
  /// Starts from the minimum without bounds; values at fixed rows are given. Problems that come down too slowly are left where
  /// they are.
  Outcome run(const std::vector<std::span<double>>& problems, double residual);

 private:
  using Rows = AlignedVector<double>;  // #rows x kLanes
  void start(const std::vector<std::span<double>>& problems);
  void refresh();
  void settle();
  void measure(double* residuals);
  void step();

  const SplitEnergy& energy_;
  const SharedInverse<T>& inverse_;
  std::vector<double> scaled_, shrink_, diagonal_step_;
  lane::Matrix matrix_;
  Rows values_, bend_, gradient_, smooth_, last_, move_, move_bend_;
  AlignedVector<T> rounded_;  // #free x kLanes: what the shared inverse works on
};

extern template class BoxLanes<float>;
extern template class BoxLanes<double>;

}  // namespace crumple
