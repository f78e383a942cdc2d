#pragma once

#include "crumple/core/result.h"
#include "crumple/geometry/mesh.h"
#include "crumple/io/gltf.h"

namespace crumple::io {

/// All materials of a document, with their textures. A picture that is not there is left out; `lost` gets what could not be kept, each by name.
Result<Materials> read_materials(const GltfDocument& document, std::vector<std::string>* lost = nullptr);

/// Adds materials, textures, samplers and images; each texture once. Returns the index of each material in the document.
std::vector<size_t> add_materials(const Materials& materials, GltfBuilder& builder);

/// Gives a surface whose triangles carry the document's numbers of materials only the materials it uses. Returns the surface's number of each material, -1 where it is not used, and last that of triangles without a material.
std::vector<int> attach_materials(const Materials& all, TriMesh& surface);

}  // namespace crumple::io
