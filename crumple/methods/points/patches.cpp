#include "crumple/methods/points/patches.h"

#include <algorithm>

#include "crumple/core/index.h"
#include "crumple/core/parallel.h"

namespace crumple::points {
namespace {

constexpr size_t kRanges = 8;  // that chunks are shared out in

/// Rows of one chunk. `slot_of`: -1 for all points, before and after.
void fill_chunk(std::span<const int32_t> entry_begin, std::span<const int32_t> entries, Patches& patches, size_t chunk, std::vector<int32_t>& slot_of, std::vector<int32_t>& points) {
  const size_t count = slot_of.size();
  const size_t first = chunk * Patches::kPoints, last = std::min(first + Patches::kPoints, count), before = points.size();
  const auto row_of = [&](size_t point) {
    int32_t& slot = slot_of[point];
    if (slot < 0) slot = static_cast<int32_t>(points.size() - before), points.push_back(static_cast<int32_t>(point));
    return static_cast<uint16_t>(slot);
  };
  for (size_t i = first; i < last; ++i) row_of(i);
  for (size_t i = first; i < last; ++i) {
    for (size_t s = at(entry_begin[i]); s < at(entry_begin[i + 1]); ++s) patches.slots[s] = row_of(entries[s] >= 0 ? at(entries[s]) : i);
  }
  for (size_t r = before; r < points.size(); ++r) slot_of[at(points[r])] = -1;
  patches.begin[chunk + 1] = static_cast<int32_t>(points.size() - before);
}

}  // namespace

Patches make_patches(std::span<const int32_t> entry_begin, std::span<const int32_t> entries) {
  Patches patches;
  const size_t count = entry_begin.size() - 1, chunks = (count + Patches::kPoints - 1) / Patches::kPoints, range = chunks / kRanges + 1;
  patches.slots.resize(entries.size()), patches.begin.assign(chunks + 1, 0);
  std::vector<std::vector<int32_t>> parts((chunks + range - 1) / range);
  parallel_for(chunks, range, [&](size_t begin, size_t end) {
    std::vector<int32_t> slot_of(count, -1);
    for (size_t chunk = begin; chunk < end; ++chunk) fill_chunk(entry_begin, entries, patches, chunk, slot_of, parts[begin / range]);
  });
  for (const std::vector<int32_t>& part : parts) patches.points.insert(patches.points.end(), part.begin(), part.end());
  for (size_t chunk = 0; chunk < chunks; ++chunk) patches.begin[chunk + 1] += patches.begin[chunk];
  patches.rows_begin.assign(count + 1, 0), patches.rows.resize(patches.points.size());
  for (const int32_t point : patches.points) ++patches.rows_begin[at(point) + 1];
  for (size_t i = 0; i < count; ++i) patches.rows_begin[i + 1] += patches.rows_begin[i];
  std::vector<int32_t> next(patches.rows_begin.begin(), patches.rows_begin.end() - 1);
  for (size_t r = 0; r < patches.points.size(); ++r) patches.rows[at(next[at(patches.points[r])]++)] = static_cast<int32_t>(r);
  return patches;
}

namespace {

/// Where a list names a point; -1: nowhere.
int32_t place_in(std::span<const int32_t> list, int32_t point) {
  int32_t found = -1;
  for (int32_t k = 0; k < static_cast<int32_t>(list.size()); ++k) found = list[at(k)] == point ? k : found;  // without a branch, several at a time
  return found;
}

}  // namespace

Pairs make_pairs(std::span<const int32_t> neighbor, size_t stride) {
  constexpr size_t kGrain = 256;
  struct Found {
    int32_t entry, back;
  };
  const size_t count = neighbor.size() / stride;
  std::vector<std::vector<Found>> parts((count + kGrain - 1) / kGrain);
  Pairs pairs;
  pairs.begin.assign(count + 1, 0);
  parallel_for(count, kGrain, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      for (size_t s = i * stride; s < (i + 1) * stride; ++s) {
        if (neighbor[s] < 0) continue;
        const size_t list = at(neighbor[s]) * stride;
        const int32_t back = place_in(neighbor.subspan(list, stride), static_cast<int32_t>(i));
        if (back >= 0 && at(neighbor[s]) < i) continue;  // the other has it
        parts[first / kGrain].push_back({static_cast<int32_t>(s), back < 0 ? -1 : static_cast<int32_t>(list) + back});
        ++pairs.begin[i + 1];
      }
    }
  });
  for (size_t i = 0; i < count; ++i) pairs.begin[i + 1] += pairs.begin[i];
  for (const std::vector<Found>& part : parts) {
    for (const Found& one : part) pairs.entry.push_back(one.entry), pairs.back.push_back(one.back), pairs.other.push_back(neighbor[at(one.entry)]);
  }
  pairs.patches = make_patches(pairs.begin, pairs.other);
  return pairs;
}

void gather_rows(const Patches& patches, size_t chunk, std::span<const Eigen::Vector3d> values, std::vector<Vec4>& rows) {
  const size_t first = at(patches.begin[chunk]), count = at(patches.begin[chunk + 1]) - first;
  rows.resize(count);
  for (size_t r = 0; r < count; ++r) {
    const Eigen::Vector3d& value = values[at(patches.points[first + r])];
    rows[r] = Vec4(value.x(), value.y(), value.z(), 0);
  }
}

namespace {

template <class Row>
void gather(const Patches& patches, size_t chunk, std::span<const Row> values, std::vector<Row>& rows) {
  const size_t first = at(patches.begin[chunk]), count = at(patches.begin[chunk + 1]) - first;
  rows.resize(count);
  for (size_t r = 0; r < count; ++r) rows[r] = values[at(patches.points[first + r])];
}

}  // namespace

void gather_rows(const Patches& patches, size_t chunk, std::span<const Vec4> values, std::vector<Vec4>& rows) {
  gather(patches, chunk, values, rows);
}

void gather_rows(const Patches& patches, size_t chunk, std::span<const Eigen::Vector4f> values, std::vector<Eigen::Vector4f>& rows) {
  gather(patches, chunk, values, rows);
}

}  // namespace crumple::points
