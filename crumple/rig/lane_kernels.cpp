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

/// Calls the version of a kernel that suits this machine.
#define CRUMPLE_PICK(kernel, ...) (has_wider ? wider::kernel(__VA_ARGS__) : has_wide ? wide::kernel(__VA_ARGS__) : plain::kernel(__VA_ARGS__))

}  // namespace

void bend_of(const Matrix& matrix, const double* values, double* bend, double* squares) {
  CRUMPLE_PICK(bend_of, matrix, values, bend, squares);
}
void gradient_of(const Matrix& matrix, const double* bend, double* gradient) {
  CRUMPLE_PICK(gradient_of, matrix, bend, gradient);
}
void sweep(const Matrix& matrix, bool backward, double* values, double* bend) {
  CRUMPLE_PICK(sweep, matrix, backward, values, bend);
}
void products(const Matrix& matrix, const double* a, const double* b, double* aa, double* ab, double* bb) {
  CRUMPLE_PICK(products, matrix, a, b, aa, ab, bb);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, float* force, double* open, double* greatest) {
  CRUMPLE_PICK(find_forces, matrix, values, gradient, force, open, greatest);
}
void find_forces(const Matrix& matrix, const double* values, const double* gradient, double* force, double* open, double* greatest) {
  CRUMPLE_PICK(find_forces, matrix, values, gradient, force, open, greatest);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const float* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  CRUMPLE_PICK(restrict_directions, matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}
void restrict_directions(const Matrix& matrix, const double* values, const double* gradient, const double* answer, double* smooth, double* last,
                         double* smooth_slope, double* last_slope) {
  CRUMPLE_PICK(restrict_directions, matrix, values, gradient, answer, smooth, last, smooth_slope, last_slope);
}
void bend_into_box(const Matrix& matrix, const double* values, const double* gradient, const double* smooth, const double* a, const double* b,
                   double* last, double* move, double* slope) {
  CRUMPLE_PICK(bend_into_box, matrix, values, gradient, smooth, a, b, last, move, slope);
}
void advance(const double* move, const double* length, int rows, double* values) {
  CRUMPLE_PICK(advance, move, length, rows, values);
}

}  // namespace crumple::lane
