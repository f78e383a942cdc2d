#pragma once

#include <span>
#include <string>
#include <string_view>

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"

namespace crumple::io {

/// PLY, text or binary little endian: positions, faces (polygons cut into fans), colours and texture coordinates if given.
/// Colours are display values (sRGB) in the file and linear here. `name` is the file's, for messages.
Result<TriMesh> parse_ply(std::string_view bytes, std::string_view name);

/// What vertices may have beside the usual; each is empty or has a value for each vertex.
struct PlyExtras {
  std::span<const Vec3f> velocities;  // vx, vy, vz
  std::span<const int> body, piece;   // numbers
};
/// Binary little endian, 32-bit floats; with vertex colours, normals, texture coordinates and numbers of materials if the mesh has them.
std::string write_ply(const TriMesh& mesh, const PlyExtras& extras = {});

}  // namespace crumple::io
