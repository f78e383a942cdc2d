#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// matrix = u diag(s) v^T with s0 >= s1 >= |s2|. u and v are always rotations (determinant +1), so s2 carries the sign of the determinant: below
/// zero where the matrix turns inside out.
template <class T>
struct Svd {
  Eigen::Matrix<T, 3, 3> u;
  Eigen::Matrix<T, 3, 1> s;
  Eigen::Matrix<T, 3, 3> v;
};

/// By rotations that make the columns orthogonal (one-sided Jacobi): small values are as exact as large ones. Any finite matrix,
/// whatever its rank, size and repeated values; the same bits alone or among others. A matrix that is not finite gives s = NaN, u = v = identity.
template <class T>
Svd<T> svd(const Eigen::Matrix<T, 3, 3>& matrix);

/// The same for many, several at a time. All spans have one length.
template <class T>
void svd(std::span<const Eigen::Matrix<T, 3, 3>> matrices, std::span<Eigen::Matrix<T, 3, 3>> u, std::span<Eigen::Matrix<T, 3, 1>> s,
         std::span<Eigen::Matrix<T, 3, 3>> v);

}  // namespace crumple
