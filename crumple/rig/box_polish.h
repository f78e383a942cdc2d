#pragma once

#include "crumple/rig/box_qp.h"
#include "crumple/rig/face_solver.h"

namespace crumple {

/// A matrix in elimination order with the free rows first, and the pattern of their factor.
struct OrderedEnergy {
  SparseMatrix matrix;
  FactorPattern pattern;
  int free = 0;
};

/// Brings feasible values near the minimum to it by projected Newton steps; energy never rises. [Bertsekas 1982] The values'
/// place strictly inside or at a bound is the first guess of which bounds hold.
class BoxPolish {
 public:
  explicit BoxPolish(const OrderedEnergy& energy);
  /// Stops at the wanted residual, or where rounding hides what is left.
  void run(std::span<double> values, double residual, BoxReport& report);

 private:
  struct Slope {
    double worst;    // greatest gradient above rounding that can be followed, over the greatest of all
  };
  Slope measure(std::span<const double> values);
  void choose_face(std::span<const double> values, bool first);
  bool hold_outward(std::span<const double> values);
  bool find_direction(std::span<const double> values, bool hold_all);
  bool advance(std::span<double> values);

  const OrderedEnergy& energy_;
  FaceSolver face_;
  std::vector<char> kept_;
  std::vector<double> gradient_, noise_, direction_, trial_, trial_gradient_;
  bool shortened_ = false;
};

}  // namespace crumple
