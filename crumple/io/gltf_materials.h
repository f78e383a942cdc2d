#pragma once

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// All materials of a document, with their textures. A picture that is not there is left out.
Result<Materials> read_materials(const GltfDocument& document);

/// Adds materials, textures, samplers and images; each texture once. Returns the index of each material in the document.
std::vector<size_t> add_materials(const Materials& materials, GltfBuilder& builder);

/// Gives a surface whose triangles carry the document's numbers of materials only the materials it uses. One plain material is none: the surface's
/// owner keeps its colour.
void attach_materials(const Materials& all, TriMesh& surface);

/// Whether a material is more than a colour, a metalness and a roughness.
bool is_plain(const SurfaceMaterial& material);

}  // namespace crumple::io
