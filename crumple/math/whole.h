#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace crumple {

/// The floor of a number as a whole one: those too large for it end at 2^62, and what is no number is 0. A plain cast would be undefined.
inline int64_t whole_floor(double number) {
  if (!(number == number)) return 0;
  return static_cast<int64_t>(std::floor(std::clamp(number, -0x1p62, 0x1p62)));
}

}  // namespace crumple
