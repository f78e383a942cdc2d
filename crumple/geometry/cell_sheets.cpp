#include "crumple/geometry/cell_sheets.h"

#include <bit>
#include <cstddef>

namespace crumple {
namespace {

int edge_between(int a, int b) {
  const int axis = std::countr_zero(static_cast<unsigned>(a ^ b)), u = (axis + 1) % 3, v = (axis + 2) % 3;
  return 4 * axis + (a >> u & 1) + 2 * (a >> v & 1);
}

/// Corners of a face, around it.
std::array<int, 4> face_corners(int face) {
  const int axis = face / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = (face & 1) << axis;
  return {base, base | u, base | u | v, base | v};
}

/// Edge k joins corners k and k + 1.
std::array<int, 4> face_edges(int face) {
  const std::array<int, 4> corners = face_corners(face);
  std::array<int, 4> edges{};
  for (size_t k = 0; k < 4; ++k) edges[k] = edge_between(corners[k], corners[(k + 1) % 4]);
  return edges;
}

bool is_inside(uint8_t inside, int corner) {
  return inside >> corner & 1;
}
bool crosses(uint8_t inside, int edge) {
  const int low = edge_corner(edge);
  return is_inside(inside, low) != is_inside(inside, low | 1 << edge / 4);
}
bool is_ambiguous(uint8_t inside, int face) {
  for (const int edge : face_edges(face))
    if (!crosses(inside, edge)) return false;
  return true;
}

/// Edges that the surface joins over faces have the same root.
struct Joined {
  std::array<int, 12> parent{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int root(int edge) const {
    while (parent[static_cast<size_t>(edge)] != edge) edge = parent[static_cast<size_t>(edge)];
    return edge;
  }
  void join(int a, int b) { parent[static_cast<size_t>(root(a))] = root(b); }
};

void join_over_face(uint8_t inside, int face, bool turned, Joined& joined) {
  const std::array<int, 4> corners = face_corners(face), edges = face_edges(face);
  if (is_ambiguous(inside, face)) {
    // A line around each inside corner; around each outside one if turned.
    for (size_t k = 0; k < 4; ++k)
      if (is_inside(inside, corners[k]) != turned) joined.join(edges[k], edges[(k + 3) % 4]);
    return;
  }
  int last = -1;
  for (const int edge : edges) {
    if (!crosses(inside, edge)) continue;
    if (last >= 0) joined.join(last, edge);
    last = edge;
  }
}

CellSheets find_sheets(uint8_t inside, int turned_face) {
  Joined joined;
  for (int face = 0; face < 6; ++face) join_over_face(inside, face, face == turned_face, joined);
  CellSheets sheets;
  std::array<int8_t, 12> of_root;
  of_root.fill(-1), sheets.of_edge.fill(-1);
  for (int edge = 0; edge < 12; ++edge) {
    if (!crosses(inside, edge)) continue;
    int8_t& sheet = of_root[static_cast<size_t>(joined.root(edge))];
    if (sheet < 0) sheet = sheets.count++;
    sheets.of_edge[static_cast<size_t>(edge)] = sheet;
  }
  for (int face = 0; face < 6; ++face) {
    const std::array<int, 4> edges = face_edges(face);
    if (is_ambiguous(inside, face) && joined.root(edges[0]) == joined.root(edges[2])) sheets.doubled_face = static_cast<int8_t>(face);
  }
  return sheets;
}

struct Table {
  std::array<std::array<CellSheets, 2>, 256> sheets;
  Table() {
    for (size_t inside = 0; inside < 256; ++inside) {
      sheets[inside][0] = find_sheets(static_cast<uint8_t>(inside), -1);
      sheets[inside][1] = find_sheets(static_cast<uint8_t>(inside), sheets[inside][0].doubled_face);
    }
  }
};

}  // namespace

const CellSheets& cell_sheets(uint8_t inside, bool turned) {
  static const Table table;
  return table.sheets[inside][turned ? 1 : 0];
}

}  // namespace crumple
