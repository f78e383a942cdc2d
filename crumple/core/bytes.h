#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace crumple {

/// memcpy that also copies nothing from or to nowhere.
inline void copy_bytes(std::span<std::byte> to, std::span<const std::byte> from) {
  assert(to.size() == from.size());
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

/// Overwrites all rows of a vector.
template <class Row>
void copy_rows(std::vector<Row>& to, std::span<const std::byte> from) {
  copy_bytes({reinterpret_cast<std::byte*>(to.data()), to.size() * sizeof(Row)}, from);
}

}  // namespace crumple
