#include "crumple/rig/dense_kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace crumple::dense {
namespace {

#define CRUMPLE_KERNELS "crumple/rig/dense_kernels.inl"
#include "crumple/math/each_width.inl"

template <class T>
bool eliminate_with_scratch(T* matrix, int height, int pivots, T* inverse) {
  thread_local std::vector<T> packed, four;
  packed.resize(std::max(packed.size(), static_cast<size_t>(height) * pivots));
  four.resize(std::max(four.size(), static_cast<size_t>(pivots) * 4));
  return CRUMPLE_PICK(eliminate, matrix, height, pivots, inverse, packed.data(), four.data());
}

}  // namespace

bool eliminate(double* matrix, int height, int pivots, double* inverse) {
  return eliminate_with_scratch(matrix, height, pivots, inverse);
}
bool eliminate(float* matrix, int height, int pivots, float* inverse) {
  return eliminate_with_scratch(matrix, height, pivots, inverse);
}
void multiply(const double* inverse, int height, int pivots, const double* in, double* out) {
  CRUMPLE_PICK(multiply, inverse, height, pivots, in, out);
}
void multiply(const float* inverse, int height, int pivots, const float* in, float* out) {
  CRUMPLE_PICK(multiply, inverse, height, pivots, in, out);
}
void multiply_transposed(const double* inverse, int height, int pivots, const double* in, double* out) {
  CRUMPLE_PICK(multiply_transposed, inverse, height, pivots, in, out);
}
void multiply_transposed(const float* inverse, int height, int pivots, const float* in, float* out) {
  CRUMPLE_PICK(multiply_transposed, inverse, height, pivots, in, out);
}
void subtract_product(const double* matrix, int height, int depth, const double* in, double* out) {
  CRUMPLE_PICK(subtract_product, matrix, height, depth, in, out);
}
void subtract_product(const float* matrix, int height, int depth, const float* in, float* out) {
  CRUMPLE_PICK(subtract_product, matrix, height, depth, in, out);
}

}  // namespace crumple::dense
