#pragma once

#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/elements.h"

namespace crumple {

/// A symmetric sparse matrix, all rows stored in full with ascending columns.
struct SparseMatrix {
  int size = 0;
  std::vector<int> start;      // #rows + 1
  std::vector<int> column;     // #entries
  std::vector<double> value;   // #entries
};

/// The stiffness of linear elements: K_ij = sum over elements of |V| grad_i . grad_j (rows sum to 0). An error names an element
/// that has no volume or area, a corner that is not there, a position that is not finite or a vertex in no element.
Result<SparseMatrix> cotangent_laplacian(const Elements& mesh);

/// Q = K M^-1 K, the biharmonic energy w^T Q w / 2. Its (i, j) and (j, i) entries are the same bits.
SparseMatrix biharmonic_energy(const SparseMatrix& laplacian, const std::vector<double>& masses);

}  // namespace crumple
