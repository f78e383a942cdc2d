#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/io/recording.h"

namespace crumple::io {

using Bytes = std::vector<std::byte>;

/// No frame or checkpoint may hold more than this: a size read from a file is never believed beyond it.
inline constexpr size_t kLargestState = size_t{1} << 30;

/// The same arrays sorted by name, or what is wrong with them (a name twice, half a row, too much).
Result<std::vector<ArrayView>> sorted_arrays(std::span<const ArrayView> arrays);

/// Appends to `out` what changes `before` into `after` (sorted): names, sizes and the rows that differ. Nothing before: everything.
void write_changes(const ArrayStore& before, std::span<const ArrayView> after, Bytes& out);

/// Applies the changes written by write_changes. False if they make no sense, and then the store is of no use any more.
bool apply_changes(std::span<const std::byte> changes, ArrayStore& store);

/// Makes the store equal to the sorted arrays, reusing its memory.
void copy_arrays(std::span<const ArrayView> arrays, ArrayStore& store);

/// A text with its length before it, as at the front of a checkpoint.
void write_text(std::string_view text, Bytes& out);
/// Takes such a text off the front; false if there is none.
bool take_text(std::span<const std::byte>& bytes, std::string& text);

}  // namespace crumple::io
