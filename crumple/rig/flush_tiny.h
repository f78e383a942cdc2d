#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace crumple {

/// While it lives, this thread takes numbers too small for full precision as zero. Factors of regular lattices are full of products
/// of rounding errors; in single precision they sink so low that every operation on them costs a hundred.
class FlushTiny {
 public:
#if defined(__SSE2__)
  FlushTiny() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }  // results and operands
  ~FlushTiny() { _mm_setcsr(before_); }

 private:
  unsigned before_;

 public:
#else
  FlushTiny() {}
  ~FlushTiny() {}
#endif
  FlushTiny(const FlushTiny&) = delete;
  FlushTiny& operator=(const FlushTiny&) = delete;
};

}  // namespace crumple
