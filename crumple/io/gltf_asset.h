#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "crumple/core/result.h"
#include "crumple/io/gltf.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// The glTF extension that carries what glTF itself has no word for. It hangs on the visible mesh:
///   "CRUMPLE_tetrahedra": {
///     "positions": accessor VEC3 float,      rest positions of the tetrahedra's vertices, in the mesh's space
///     "indices":   accessor SCALAR unsigned, four for each tetrahedron
///     "weights":   accessor SCALAR float,    vertices x joints of the skin, row after row
///     "rest":      text                      name of the rest pose; may be left out
///     "normals":   "own"                     the surface's normals are the artist's; otherwise they are made from its faces
///     "groups": {                            names of the artist's objects; may be left out
///       "names":     list of texts,
///       "triangles": accessor SCALAR unsigned  the name of each triangle of the surface
///     }
///     "pieces": object                       of a body that can break (io/gltf_pieces.h); may be left out
///     "certificate": object                  how well the weights solve their program (io/gltf_certificate.h); may be left out
///   }
/// The rest is plain glTF: the surface is a mesh, handles are the joints of its skin, and every example pose is where an
/// animation ends. So an asset opens in any artist's tool.
inline constexpr std::string_view kTetrahedraExtension = "CRUMPLE_tetrahedra";

/// Reads an asset from .glb (or .gltf). Unskinned meshes in the file become part of the surface too. A skinless file is a rigid
/// asset: it gets one handle that holds everything.
Result<Asset> read_asset(const std::filesystem::path& file);
Result<Asset> asset_from_gltf(const GltfDocument& document);

/// Writes an asset as .glb. Positions are rounded to single precision, weights are kept bit for bit.
Result<void> write_asset(const Asset& asset, const std::filesystem::path& file);
Result<std::string> asset_to_glb(const Asset& asset);

}  // namespace crumple::io
