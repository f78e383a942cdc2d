#include "crumple/rig/dense_kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Vector types must be seen under their own instruction set from the start: a function cloned later has them split into the
// baseline's halves before the clone is made. So the kernels are included twice.
namespace crumple::dense {
namespace {

namespace plain {
#include "crumple/rig/dense_kernels.inl"
}
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#include "crumple/rig/dense_kernels.inl"
}
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
#else
namespace wide = plain;
constexpr bool has_wide = false;
#endif

template <class T>
bool eliminate_with_scratch(T* matrix, int height, int pivots, T* inverse) {
  thread_local std::vector<T> packed, four;
  packed.resize(std::max(packed.size(), static_cast<size_t>(height) * pivots));
  four.resize(std::max(four.size(), static_cast<size_t>(pivots) * 4));
  return has_wide ? wide::eliminate(matrix, height, pivots, inverse, packed.data(), four.data())
                  : plain::eliminate(matrix, height, pivots, inverse, packed.data(), four.data());
}

}  // namespace

bool eliminate(double* matrix, int height, int pivots, double* inverse) {
  return eliminate_with_scratch(matrix, height, pivots, inverse);
}
bool eliminate(float* matrix, int height, int pivots, float* inverse) {
  return eliminate_with_scratch(matrix, height, pivots, inverse);
}
void multiply(const double* inverse, int height, int pivots, const double* in, double* out) {
  has_wide ? wide::multiply(inverse, height, pivots, in, out) : plain::multiply(inverse, height, pivots, in, out);
}
void multiply(const float* inverse, int height, int pivots, const float* in, float* out) {
  has_wide ? wide::multiply(inverse, height, pivots, in, out) : plain::multiply(inverse, height, pivots, in, out);
}
void multiply_transposed(const double* inverse, int height, int pivots, const double* in, double* out) {
  has_wide ? wide::multiply_transposed(inverse, height, pivots, in, out) : plain::multiply_transposed(inverse, height, pivots, in, out);
}
void multiply_transposed(const float* inverse, int height, int pivots, const float* in, float* out) {
  has_wide ? wide::multiply_transposed(inverse, height, pivots, in, out) : plain::multiply_transposed(inverse, height, pivots, in, out);
}

}  // namespace crumple::dense
