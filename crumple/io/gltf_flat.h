#pragma once

#include <string>
#include <string_view>

#include "crumple/core/result.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// The glTF extension of a rigged drawing. It hangs on the visible mesh, whose primitives are the layers, from the back to the front:
///   "CRUMPLE_flat": {
///     "weights":  accessor SCALAR float,     vertices of all primitives one after another x joints of the skin, row after row
///     "layers":   texts                      names of the primitives
///     "pins":     objects                    name, vertex, triangle (3 vertices), shares (3 numbers); may be left out
///     "stretches": object                    by the name of an example: accessor VEC3 float, xx, xy, yy for each joint; may be left out
///     "rest":     text                       name of the rest pose; may be left out
///   }
/// Vertices lie a little apart in z, layer by layer, so that viewers sort them; a reader puts them back to z = 0.
inline constexpr std::string_view kFlatExtension = "CRUMPLE_flat";

/// How far apart layers are drawn, m, for a drawing of this size.
double layer_distance(const Asset& asset);

Json add_flat(const Asset& asset, GltfBuilder& builder);

/// Layers and pins of a surface that has been read with its materials: each primitive of the mesh is a layer.
Result<FlatRig> read_flat(const GltfScene& scene, const Json& extension, size_t mesh, const TriMesh& surface, const std::string& where);
/// Stretches of the handles in one example; identities if the extension has none.
Result<std::vector<Mat3>> read_stretches(GltfScene& scene, const Json& extension, const std::string& example, size_t handles, const std::string& where);

}  // namespace crumple::io
