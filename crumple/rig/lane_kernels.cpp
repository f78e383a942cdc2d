#include "crumple/rig/lane_kernels.h"

// Vector types must be seen under their own instruction set from the start, so the kernels are included once for each.
namespace crumple::lane {
namespace {

namespace plain {
#define CRUMPLE_VECTOR_BYTES 16
#include "crumple/rig/lane_kernels.inl"
#undef CRUMPLE_VECTOR_BYTES
}  // namespace plain
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#define CRUMPLE_VECTOR_BYTES 32
#include "crumple/rig/lane_kernels.inl"
#undef CRUMPLE_VECTOR_BYTES
}  // namespace wide
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
namespace wider {
#define CRUMPLE_VECTOR_BYTES 64
#include "crumple/rig/lane_kernels.inl"
#undef CRUMPLE_VECTOR_BYTES
}  // namespace wider
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
const bool has_wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
namespace wide = plain;
namespace wider = plain;
constexpr bool has_wide = false, has_wider = false;
#endif

}  // namespace

void bend_of(const Matrix& matrix, const double* values, double* bend) {
  (has_wider ? wider::bend_of : has_wide ? wide::bend_of : plain::bend_of)(matrix, values, bend);
}
void gradient_of(const Matrix& matrix, const double* bend, double* gradient) {
  (has_wider ? wider::gradient_of : has_wide ? wide::gradient_of : plain::gradient_of)(matrix, bend, gradient);
}
void sweep(const Matrix& matrix, bool backward, double* values, double* bend) {
  (has_wider ? wider::sweep : has_wide ? wide::sweep : plain::sweep)(matrix, backward, values, bend);
}
void products(const Matrix& matrix, const double* a, const double* b, double* aa, double* ab, double* bb) {
  (has_wider ? wider::products : has_wide ? wide::products : plain::products)(matrix, a, b, aa, ab, bb);
}

}  // namespace crumple::lane
