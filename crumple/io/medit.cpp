#include "crumple/io/medit.h"

#include <climits>

#include <fmt/format.h>

#include "crumple/io/text_cursor.h"

namespace crumple::io {
namespace {

void read_vertices(TextCursor& cursor, TetMesh& mesh) {
  const size_t count = cursor.count("the number of vertices", 8);
  mesh.positions.reserve(count);
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    const double x = cursor.number("x"), y = cursor.number("y"), z = cursor.number("z");
    cursor.number("the reference number");
    mesh.positions.emplace_back(x, y, z);
  }
}

void read_tetrahedra(TextCursor& cursor, TetMesh& mesh) {
  const size_t count = cursor.count("the number of tetrahedra", 10);
  mesh.tets.reserve(count);
  for (size_t i = 0; i < count && !cursor.failed(); ++i) {
    Tetrahedron tet;
    for (int& corner : tet) corner = static_cast<int>(cursor.whole("a corner of a tetrahedron", 1, INT_MAX)) - 1;
    cursor.number("the reference number");
    mesh.tets.push_back(tet);
  }
}

void skip_section(TextCursor& cursor, size_t numbers_per_line) {
  const size_t count = cursor.count("the number of lines", numbers_per_line * 2);
  for (size_t i = 0; i < count * numbers_per_line && !cursor.failed(); ++i) cursor.number("a value");
}

void read_section(TextCursor& cursor, std::string_view keyword, TetMesh& mesh) {
  if (keyword.starts_with('#')) return cursor.skip_line();
  if (keyword == "MeshVersionFormatted") return void(cursor.whole("the version", 1, 4));
  if (keyword == "Dimension") return void(cursor.whole("the dimension", 3, 3));
  if (keyword == "Vertices") return read_vertices(cursor, mesh);
  if (keyword == "Tetrahedra") return read_tetrahedra(cursor, mesh);
  if (keyword == "Triangles") return skip_section(cursor, 4);
  if (keyword == "Edges") return skip_section(cursor, 3);
  if (keyword == "Corners" || keyword == "RequiredVertices" || keyword == "Ridges") return skip_section(cursor, 1);
  cursor.fail("an unknown section starts here");
}

}  // namespace

Result<TetMesh> parse_medit(std::string_view text, std::string_view name) {
  TextCursor cursor(text, name);
  TetMesh mesh;
  if (cursor.word() != "MeshVersionFormatted")
    return input_error(fmt::format("{}: is not a MEDIT text file: \"MeshVersionFormatted\" is missing", name));
  cursor.whole("the version", 1, 4);
  while (!cursor.failed() && !cursor.at_end()) {
    const std::string_view keyword = cursor.word();
    if (keyword == "End") break;
    read_section(cursor, keyword, mesh);
  }
  if (cursor.failed()) return cursor.error();
  if (mesh.tets.empty()) return input_error(fmt::format("{}: has no tetrahedra", name));
  for (size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const int corner : mesh.tets[t]) {
      if (static_cast<size_t>(corner) >= mesh.positions.size()) {
        return input_error(fmt::format("{}: tetrahedron {} asks for vertex {}, but there are {}", name, t + 1, corner + 1, mesh.positions.size()));
      }
    }
  }
  return mesh;
}

}  // namespace crumple::io
