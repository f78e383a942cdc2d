#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// Wavefront OBJ: all faces as one surface, polygons cut into fans. Vertices are doubled where texture coordinates or normals
/// differ. Texture coordinates run downwards afterwards, as in glTF. Colours after the coordinates ("v x y z r g b", 0 to 1 as on a
/// screen) and normals are kept if every vertex has them. Groups are objects ("o"), or groups ("g") where there are none. `name` is the file's, for
/// messages. Materials have only names.
Result<TriMesh> parse_obj(std::string_view text, std::string_view name);
/// The same with the materials of the .mtl files that it names. `lost` gets what could not be kept, each by name.
Result<TriMesh> read_obj(const std::filesystem::path& file, std::vector<std::string>& lost);
/// The same with the vertices exactly as the file lists them: positions only, none doubled, unused ones kept. Triangles and their corners
/// come in the same order as parse_obj gives them.
Result<TriMesh> parse_obj_vertices(std::string_view text, std::string_view name);
/// How a surface is written: the file that its materials are in, none if that is empty; and the keyword for groups. Readers make an object of each "o".
struct ObjStyle {
  std::string_view mtl = {};
  char group = 'o';
};
/// The surface as a text, exactly: numbers that single precision holds have at most nine digits.
std::string write_obj(const TriMesh& mesh, const ObjStyle& style = {});
/// The surface with its materials (.mtl) and their pictures beside it.
Result<void> write_obj_files(const TriMesh& mesh, const std::filesystem::path& file);
/// A name without the blanks at which names of groups and materials would end.
std::string obj_name(const std::string& name);

}  // namespace crumple::io
