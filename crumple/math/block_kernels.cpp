#include "crumple/math/block_kernels.h"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
// GCC 12 takes the undefined registers of its own header for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Vector types must be seen under their own instruction set from the start: a function cloned later has them split into the
// baseline's halves before the clone is made. So the kernels are included once for each.
namespace crumple {
namespace {

namespace plain {
#define CRUMPLE_LANE_BYTES 16
#include "crumple/math/block_kernels.inl"
#undef CRUMPLE_LANE_BYTES
}  // namespace plain
#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#define CRUMPLE_LANE_BYTES 32
#include "crumple/math/block_kernels.inl"
#undef CRUMPLE_LANE_BYTES
}  // namespace wide
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
namespace wider {
#define CRUMPLE_LANE_BYTES 64
#include "crumple/math/block_kernels.inl"
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

}  // namespace

void add_product(Mat6& c, const Mat6& a, const Mat6& b) {
  has_wider ? wider::add_product(c, a, b) : has_wide ? wide::add_product(c, a, b) : plain::add_product(c, a, b);
}

void eliminate(const BlockPattern& pattern, size_t column, Mat6* blocks, Mat6* pivots) {
  has_wider  ? wider::eliminate(pattern, column, blocks, pivots)
  : has_wide ? wide::eliminate(pattern, column, blocks, pivots)
             : plain::eliminate(pattern, column, blocks, pivots);
}

}  // namespace crumple
