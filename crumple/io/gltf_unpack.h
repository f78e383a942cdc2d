#pragma once

#include "crumple/io/gltf.h"

namespace crumple::io {

/// Extensions that `unpack` takes care of.
bool is_compression(std::string_view extension);

/// Replaces compressed vertices and indices by plain ones, so that no other reader has to know: buffer views of EXT_meshopt_compression, and primitives
/// of KHR_draco_mesh_compression. Fails on data that is damaged or would take far more room than the file.
Result<void> unpack(GltfDocument& document);

}  // namespace crumple::io
