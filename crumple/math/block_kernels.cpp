#include "crumple/math/block_kernels.h"

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crumple {
namespace {

#define CRUMPLE_KERNELS "crumple/math/block_kernels.inl"
#include "crumple/math/each_width.inl"

}  // namespace

void add_product(Mat6& c, const Mat6& a, const Mat6& b) {
  CRUMPLE_PICK(add_product, c, a, b);
}

void eliminate(const BlockPattern& pattern, size_t column, Mat6* blocks, Mat6* pivots) {
  CRUMPLE_PICK(eliminate, pattern, column, blocks, pivots);
}

}  // namespace crumple
