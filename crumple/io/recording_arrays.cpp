#include "crumple/io/recording_arrays.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "crumple/core/bytes.h"

// Changes are a list of arrays in the order of their names, each
//   shared (letters in common with the name before), rest of the name, 0 if it is gone, else 1, row bytes, rows, ranges
// where ranges is their number and for each the rows skipped since the last range, the rows in it, and then their bytes.
// Numbers are written seven bits to a byte, lowest first. Names cost next to nothing this way without a table to keep.
namespace crumple::io {
namespace {

void write_number(uint64_t value, Bytes& out) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<std::byte>(value | 128));
  out.push_back(static_cast<std::byte>(value));
}

bool take_number(std::span<const std::byte>& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    if (bytes.empty()) return false;
    const auto byte = static_cast<uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    value |= (byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

void append(std::span<const std::byte> bytes, Bytes& out) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void write_name(std::string_view name, std::string& last, Bytes& out) {
  const auto differs = std::mismatch(name.begin(), name.end(), last.begin(), last.end()).first;
  const auto shared = static_cast<size_t>(differs - name.begin());
  write_number(shared, out);
  write_text(name.substr(shared), out);
  last = name;
}

/// What an array counts towards kLargestState: names and bookkeeping too, or many empty arrays would cost nothing.
size_t cost_of(std::string_view name, size_t data) {
  return 128 + name.size() + data;
}

struct Range {
  size_t first = 0, count = 0;
};

/// Rows of `now` that `before` does not have.
std::vector<Range> changed_rows(const StoredArray* before, const ArrayView& now) {
  std::vector<Range> ranges;
  if (now.row_bytes == 0) return ranges;
  const size_t rows = now.data.size() / now.row_bytes;
  const size_t known = before && before->row_bytes == now.row_bytes ? std::min(rows, before->data.size() / now.row_bytes) : 0;
  auto add = [&](size_t row, size_t count) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == row) {
      ranges.back().count += count;
    } else {
      ranges.push_back({row, count});
    }
  };
  for (size_t row = 0; row < known; ++row) {
    if (std::memcmp(now.data.data() + row * now.row_bytes, before->data.data() + row * now.row_bytes, now.row_bytes) != 0) add(row, 1);
  }
  if (rows > known) add(known, rows - known);
  return ranges;
}

bool same_size(const StoredArray& before, const ArrayView& now) {
  return before.row_bytes == now.row_bytes && before.data.size() == now.data.size();
}

void write_array(const ArrayView& array, const std::vector<Range>& ranges, std::string& last_name, Bytes& out) {
  write_name(array.name, last_name, out);
  write_number(1, out);
  write_number(array.row_bytes, out);
  write_number(array.row_bytes ? array.data.size() / array.row_bytes : 0, out);
  write_number(ranges.size(), out);
  size_t end = 0;
  for (const Range& range : ranges) {
    write_number(range.first - end, out);
    write_number(range.count, out);
    append(array.data.subspan(range.first * array.row_bytes, range.count * array.row_bytes), out);
    end = range.first + range.count;
  }
}

bool take_name(std::span<const std::byte>& bytes, std::string& name) {
  uint64_t shared = 0;
  std::string rest;
  if (!take_number(bytes, shared) || shared > name.size() || !take_text(bytes, rest)) return false;
  name.resize(shared);
  name += rest;
  return true;
}

bool take_rows(std::span<const std::byte>& bytes, size_t row_bytes, size_t rows, StoredArray& array) {
  uint64_t ranges = 0, skipped = 0, count = 0;
  if (!take_number(bytes, ranges)) return false;
  size_t row = 0;
  for (uint64_t i = 0; i < ranges; ++i) {
    if (!take_number(bytes, skipped) || !take_number(bytes, count)) return false;
    if (skipped > rows - row || count > rows - row - skipped) return false;
    const size_t size = count * row_bytes;  // at most rows * row_bytes, which was checked
    if (size > bytes.size()) return false;
    copy_bytes(std::span(array.data).subspan((row + skipped) * row_bytes, size), bytes.first(size));
    bytes = bytes.subspan(size);
    row += skipped + count;
  }
  return true;
}

/// `total` is the cost of the whole store.
bool take_array(std::span<const std::byte>& bytes, StoredArray& array, size_t& total) {
  uint64_t row_bytes = 0, rows = 0;
  if (!take_number(bytes, row_bytes) || !take_number(bytes, rows)) return false;
  if (row_bytes > kLargestState || (row_bytes == 0 && rows > 0) || (rows > 0 && rows > kLargestState / row_bytes)) return false;
  const size_t size = rows * row_bytes;
  if (array.row_bytes != row_bytes) total -= array.data.size(), array.data.clear();
  // Rows that were not there before come with their data, so the data bounds what is allocated.
  if (size > array.data.size() && size - array.data.size() > bytes.size()) return false;
  total = total - array.data.size() + size;
  if (total > kLargestState) return false;
  array.row_bytes = row_bytes;
  array.data.resize(size);
  return take_rows(bytes, row_bytes, rows, array);
}

}  // namespace

void write_text(std::string_view text, Bytes& out) {
  write_number(text.size(), out);
  append(std::as_bytes(std::span(text)), out);
}

bool take_text(std::span<const std::byte>& bytes, std::string& text) {
  uint64_t size = 0;
  if (!take_number(bytes, size) || size > bytes.size()) return false;
  text.assign(reinterpret_cast<const char*>(bytes.data()), size);
  bytes = bytes.subspan(size);
  return true;
}

Result<std::vector<ArrayView>> sorted_arrays(std::span<const ArrayView> arrays) {
  std::vector<ArrayView> sorted(arrays.begin(), arrays.end());
  std::sort(sorted.begin(), sorted.end(), [](const ArrayView& a, const ArrayView& b) { return a.name < b.name; });
  size_t total = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const ArrayView& array = sorted[i];
    if (i > 0 && sorted[i - 1].name == array.name) return input_error(fmt::format("two arrays are called \"{}\"; names must differ", array.name));
    if (array.row_bytes == 0 ? !array.data.empty() : array.data.size() % array.row_bytes != 0) {
      return system_error(fmt::format("array \"{}\": {} bytes are no whole number of rows of {}", array.name, array.data.size(), array.row_bytes));
    }
    total += cost_of(array.name, array.data.size());
  }
  if (total > kLargestState)
    return input_error(fmt::format("{} MB of state in one frame; a recording holds at most {} MB", total >> 20, kLargestState >> 20));
  return sorted;
}

void write_changes(const ArrayStore& before, std::span<const ArrayView> after, Bytes& out) {
  std::string last_name;
  auto old = before.begin();
  auto drop = [&] {
    write_name(old->first, last_name, out);
    write_number(0, out);
    ++old;
  };
  for (const ArrayView& array : after) {
    while (old != before.end() && old->first < array.name) drop();
    const bool known = old != before.end() && old->first == array.name;
    const std::vector<Range> ranges = changed_rows(known ? &old->second : nullptr, array);
    if (!known || !ranges.empty() || !same_size(old->second, array)) write_array(array, ranges, last_name, out);
    if (known) ++old;
  }
  while (old != before.end()) drop();
}

bool apply_changes(std::span<const std::byte> changes, ArrayStore& store) {
  size_t total = 0;
  for (const auto& [name, array] : store) total += cost_of(name, array.data.size());
  std::string name;
  while (!changes.empty()) {
    uint64_t present = 0;
    if (!take_name(changes, name) || !take_number(changes, present) || present > 1) return false;
    auto array = store.find(name);
    if (present) {
      if (array == store.end()) {
        total += cost_of(name, 0);
        if (total > kLargestState) return false;
        array = store.emplace(name, StoredArray{}).first;
      }
      if (!take_array(changes, array->second, total)) return false;
    } else {
      if (array == store.end()) return false;
      total -= cost_of(name, array->second.data.size());
      store.erase(array);
    }
  }
  return true;
}

void copy_arrays(std::span<const ArrayView> arrays, ArrayStore& store) {
  auto old = store.begin();
  for (const ArrayView& array : arrays) {
    while (old != store.end() && old->first < array.name) old = store.erase(old);
    if (old == store.end() || old->first != array.name) old = store.emplace_hint(old, array.name, StoredArray{});
    old->second.row_bytes = array.row_bytes;
    old->second.data.assign(array.data.begin(), array.data.end());
    ++old;
  }
  store.erase(old, store.end());
}

}  // namespace crumple::io
