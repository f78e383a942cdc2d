#pragma once

#include "crumple/methods/points/patches.h"

/// Loops over the entries of one point's list. An entry is a rest vector with its weight as the fourth number, and the row of its point in a chunk.
namespace crumple::points {

struct Entries {
  const Vec4* u;
  const uint16_t* slots;
  int count;
};

/// Columns of the sum of w x u^T (eq. 3.2), x being the way to the neighbour.
void sum_gradient(const Entries& entries, const Vec4* places, int own, Vec4 (&columns)[3]);

/// q = w (H u + k x) acts on the point of each entry, and against its neighbour (eq. 3.5).
void add_pushes(const Entries& entries, const Vec4* places, int own, const Vec4 (&h)[3], double k, Vec4* forces);

/// c (p_j - p_i) is added to the point of each entry and taken from its neighbour.
void add_differences(const float* coefficients, const uint16_t* slots, int count, const Vec4* values, int own, Vec4* sums);
void add_differences(const float* coefficients, const uint16_t* slots, int count, const Eigen::Vector4f* values, int own, Eigen::Vector4f* sums);

}  // namespace crumple::points
