#include "crumple/methods/points/entries.h"

#include <cstring>

namespace crumple::points {
namespace {

#pragma GCC diagnostic ignored "-Wpsabi"  // all of it stays in this file
#define CRUMPLE_KERNELS "crumple/methods/points/entries.inl"
#include "crumple/math/each_width.inl"

}  // namespace

void sum_gradient(const Entries& entries, const Vec4* places, int own, Vec4 (&columns)[3]) {
  CRUMPLE_PICK(sum_gradient, entries, places, own, columns);
}

void add_pushes(const Entries& entries, const Vec4* places, int own, const Vec4 (&h)[3], double k, Vec4* forces) {
  CRUMPLE_PICK(add_pushes, entries, places, own, h, k, forces);
}

void add_differences(const float* coefficients, const uint16_t* slots, int count, const Vec4* values, int own, Vec4* sums) {
  CRUMPLE_PICK(add_differences, coefficients, slots, count, values, own, sums);
}

void add_differences(const float* coefficients, const uint16_t* slots, int count, const Eigen::Vector4f* values, int own, Eigen::Vector4f* sums) {
  CRUMPLE_PICK(add_differences, coefficients, slots, count, values, own, sums);
}

}  // namespace crumple::points
