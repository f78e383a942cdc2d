#pragma once

#include <span>
#include <vector>

#include "crumple/rig/biharmonic.h"

namespace crumple {

/// How near a point is to the least energy in the box, by the conditions of Karush, Kuhn and Tucker.
struct Optimality {
  double residual = 0;     // greatest gradient that could still be followed inside the box, over max |Q w|
  double noise_floor = 0;  // eps max(|Q| |w|) / max |Q w|: what rounding alone may leave of it
};
Optimality optimality(const SparseMatrix& energy, const std::vector<char>& fixed, std::span<const double> values);
/// The same of Q = K M^-1 K, which need not be multiplied out; its rounding is that of two products.
Optimality optimality(const SparseMatrix& laplacian, const std::vector<double>& masses, const std::vector<char>& fixed,
                      std::span<const double> values);

struct BoxReport {
  Optimality optimality;
  int rounds = 0;          // of the method that all problems share
  int steps = 0;           // of Newton's method, for those it does not finish
  int factorizations = 0;  // its own
};

struct BoxResult {
  std::vector<double> values;      // #problems x #rows, problem after problem
  std::vector<BoxReport> reports;  // #problems
};

/// For each problem the least w^T Q w / 2, Q = K M^-1 K, with 0 <= w <= 1 and given values at the fixed rows, which all problems
/// share; these are read from `values` (#problems x #rows). Stops at the wanted residual, or where rounding hides what is left.
/// Fails if Q without the fixed rows is not positive definite as rounded.
Result<BoxResult> minimize_in_box(const SparseMatrix& laplacian, const std::vector<double>& masses, const std::vector<char>& fixed,
                                  std::vector<double> values, double residual);

}  // namespace crumple
