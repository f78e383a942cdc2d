#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>

namespace crumple {

/// One array of a state, under its name.
struct StateArray {
  std::string_view name;
  size_t row_bytes;
  std::span<std::byte> data;
  bool (*all_finite)(std::span<const std::byte> data);
};

template <class T>
bool all_finite_as(std::span<const std::byte> data) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof(T));
    if (!std::isfinite(static_cast<double>(value))) return false;
  }
  return true;
}

template <class T>
StateArray state_array(std::string_view name, std::span<T> values, size_t columns) {
  return {name, columns * sizeof(T), std::as_writable_bytes(values), all_finite_as<T>};
}

/// The same for rows that are plain structs or vectors of one kind of number.
template <class Scalar, class Row>
StateArray state_rows(std::string_view name, std::span<Row> rows) {
  static_assert(sizeof(Row) % sizeof(Scalar) == 0);
  constexpr size_t columns = sizeof(Row) / sizeof(Scalar);
  return state_array(name, std::span(reinterpret_cast<Scalar*>(rows.data()), rows.size() * columns), columns);
}

/// Read access to saved arrays.
struct SavedArrays {
  /// Rows of an array; none if it is missing or its rows are of another size. A damaged file cannot make much room: what it claims, it holds.
  std::function<size_t(std::string_view name, size_t row_bytes)> rows;
  /// Overwrites an array; false if it is missing, of another size or not finite.
  std::function<bool(const StateArray& array)> read;
};

/// Rows of a saved array, whose rows are as large as those of the array of that name among `ours`.
inline size_t saved_rows(const SavedArrays& saved, std::span<const StateArray> ours, std::string_view name) {
  for (const StateArray& array : ours) {
    if (array.name == name) return saved.rows(name, array.row_bytes);
  }
  return 0;
}

}  // namespace crumple
