#pragma once

#include <cstddef>
#include <cstdint>

namespace crumple {

/// A number of one of our arrays, which are counted with int, as the standard library counts.
constexpr size_t at(int64_t index) {
  return static_cast<size_t>(index);
}

}  // namespace crumple
