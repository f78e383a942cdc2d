#pragma once

#include <vector>

#include "crumple/core/parallel.h"

namespace crumple {

/// Sum of value(i) over a range, the same on any number of threads.
template <class T, class Value>
T sum_over(size_t count, const T& zero, const Value& value) {
  constexpr size_t kGrain = 1024;
  std::vector<T> parts((count + kGrain - 1) / kGrain, zero);
  parallel_for(count, kGrain, [&](size_t begin, size_t end) {
    T sum = zero;
    for (size_t i = begin; i < end; ++i) sum += value(i);
    parts[begin / kGrain] = sum;
  });
  T sum = zero;
  for (const T& part : parts) sum += part;
  return sum;
}

}  // namespace crumple
