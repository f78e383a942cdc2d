#pragma once

#include <span>

#include "crumple/math/types.h"

namespace crumple {

/// The rotation R with the greatest R : matrix, which is the one nearest to it; never a reflection. Exact to rounding wherever `guess` is, and fast
/// if it is near (last step's rotation). Where the matrix leaves the rotation open (zero, or flat to a line, or inverted as much as it is
/// stretched) the nearest such rotation to the guess is taken; a matrix that is not finite gives the guess.
template <class T>
Eigen::Quaternion<T> nearest_rotation(const Eigen::Matrix<T, 3, 3>& matrix, const Eigen::Quaternion<T>& guess);

/// The same for many, several at a time; `rotations` holds the guesses. The same bits alone or among others.
template <class T>
void nearest_rotations(std::span<const Eigen::Matrix<T, 3, 3>> matrices, std::span<Eigen::Quaternion<T>> rotations);

}  // namespace crumple
