#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace crumple::points {

using Vec4 = Eigen::Vector4d;  // three numbers and a fourth that is documented where it is used

/// Points in chunks. A chunk gathers every point that its lists name once and adds to them in rows of its own; each point then sums its rows in the
/// order of the chunks. So few reads go far, pairs act equally and oppositely, and the bits are the same on any number of threads.
struct Patches {
  static constexpr size_t kPoints = 128;
  std::vector<int32_t> begin;       // #chunks + 1: rows of a chunk
  std::vector<int32_t> points;      // rows: the point of each; those of the chunk itself come first, in order
  std::vector<uint16_t> slots;      // #entries: the row of its point, from the beginning of the chunk; that of the owner if there is none
  std::vector<int32_t> rows_begin;  // #points + 1
  std::vector<int32_t> rows;        // rows of each point

  size_t chunks() const { return begin.empty() ? 0 : begin.size() - 1; }
};

/// Entries of point i are those from entry_begin[i] on; -1 for none.
Patches make_patches(std::span<const int32_t> entry_begin, std::span<const int32_t> entries);

/// Pairs of points of which at least one lists the other, each once.
struct Pairs {
  std::vector<int32_t> begin, other;  // #points + 1, #pairs: of the point that has it
  std::vector<int32_t> entry, back;   // #pairs: the entry of that point, and that of the other or -1
  Patches patches;
};
/// `neighbor`: #points x stride, -1 for none.
Pairs make_pairs(std::span<const int32_t> neighbor, size_t stride);

/// The values of a chunk's rows, gathered.
void gather_rows(const Patches& patches, size_t chunk, std::span<const Eigen::Vector3d> values, std::vector<Vec4>& rows);
void gather_rows(const Patches& patches, size_t chunk, std::span<const Vec4> values, std::vector<Vec4>& rows);
void gather_rows(const Patches& patches, size_t chunk, std::span<const Eigen::Vector4f> values, std::vector<Eigen::Vector4f>& rows);

/// Sum of a point's rows.
template <class Row>
Row sum_rows(const Patches& patches, const std::vector<Row>& rows, size_t point) {
  Row sum = Row::Zero();
  for (int32_t r = patches.rows_begin[point]; r < patches.rows_begin[point + 1]; ++r) sum += rows[static_cast<size_t>(patches.rows[static_cast<size_t>(r)])];
  return sum;
}

}  // namespace crumple::points
