#include "crumple/rig/dense_kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Vector types must be seen under their own instruction set from the start: a function cloned later has them split into the
// baseline's halves before the clone is made. So the kernels are included once for each.
namespace crumple::dense {
namespace {

namespace plain {
#define CRUMPLE_LANE_BYTES 16
#include "crumple/rig/dense_kernels.inl"
#undef CRUMPLE_LANE_BYTES
}  // namespace plain
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#define CRUMPLE_LANE_BYTES 32
#include "crumple/rig/dense_kernels.inl"
#undef CRUMPLE_LANE_BYTES
}  // namespace wide
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
namespace wider {
#define CRUMPLE_LANE_BYTES 64
#include "crumple/rig/dense_kernels.inl"
#undef CRUMPLE_LANE_BYTES
}  // namespace wider
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
const bool has_wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
namespace wide = plain;
namespace wider = plain;
constexpr bool has_wide = false, has_wider = false;
#endif

template <class T>
bool eliminate_with_scratch(T* matrix, int height, int pivots, T* inverse) {
  thread_local std::vector<T> packed, four;
  packed.resize(std::max(packed.size(), static_cast<size_t>(height) * pivots));
  four.resize(std::max(four.size(), static_cast<size_t>(pivots) * 4));
  return has_wider  ? wider::eliminate(matrix, height, pivots, inverse, packed.data(), four.data())
         : has_wide ? wide::eliminate(matrix, height, pivots, inverse, packed.data(), four.data())
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
  has_wider  ? wider::multiply(inverse, height, pivots, in, out)
  : has_wide ? wide::multiply(inverse, height, pivots, in, out)
             : plain::multiply(inverse, height, pivots, in, out);
}
void multiply(const float* inverse, int height, int pivots, const float* in, float* out) {
  has_wider  ? wider::multiply(inverse, height, pivots, in, out)
  : has_wide ? wide::multiply(inverse, height, pivots, in, out)
             : plain::multiply(inverse, height, pivots, in, out);
}
void multiply_transposed(const double* inverse, int height, int pivots, const double* in, double* out) {
  has_wider  ? wider::multiply_transposed(inverse, height, pivots, in, out)
  : has_wide ? wide::multiply_transposed(inverse, height, pivots, in, out)
             : plain::multiply_transposed(inverse, height, pivots, in, out);
}
void multiply_transposed(const float* inverse, int height, int pivots, const float* in, float* out) {
  has_wider  ? wider::multiply_transposed(inverse, height, pivots, in, out)
  : has_wide ? wide::multiply_transposed(inverse, height, pivots, in, out)
             : plain::multiply_transposed(inverse, height, pivots, in, out);
}
void subtract_product(const double* matrix, int height, int depth, const double* in, double* out) {
  has_wider  ? wider::subtract_product(matrix, height, depth, in, out)
  : has_wide ? wide::subtract_product(matrix, height, depth, in, out)
             : plain::subtract_product(matrix, height, depth, in, out);
}
void subtract_product(const float* matrix, int height, int depth, const float* in, float* out) {
  has_wider  ? wider::subtract_product(matrix, height, depth, in, out)
  : has_wide ? wide::subtract_product(matrix, height, depth, in, out)
             : plain::subtract_product(matrix, height, depth, in, out);
}

}  // namespace crumple::dense
