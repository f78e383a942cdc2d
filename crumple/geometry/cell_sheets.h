#pragma once

#include <array>
#include <cstdint>

/// A cube whose corners are inside or outside, and the sheets of surface that part them. Corners are numbered by bits (1: x, 2: y, 4: z), faces as
/// 2 axis + side. Edges run along an axis a: 4 a + u + 2 v, where u and v are their places along the axes that follow a.
namespace crumple {

inline constexpr int edge_corner(int edge) {  // the lower one
  const int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
  return (edge & 1) << u | (edge >> 1 & 1) << v;
}

struct CellSheets {
  std::array<int8_t, 12> of_edge;  // the sheet that crosses an edge, or -1
  int8_t count = 0;
  /// A face that one sheet crosses twice, or -1. If it does so from both sides of the face, the sheets of both cells meet along an edge of four
  /// quadrilaterals; both cells must then be turned.
  int8_t doubled_face = -1;
};

/// `inside`: a bit for each corner. Where a face has two inside corners across, they are not joined over it, except over `doubled_face` of a turned
/// cell.
const CellSheets& cell_sheets(uint8_t inside, bool turned);

}  // namespace crumple
