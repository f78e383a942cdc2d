#pragma once

#include <string>

#include "crumple/io/gltf.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// The certificate of an asset's weights as a member of its glTF extension:
///   "certificate": {
///     "residual", "floor", "target": numbers          as in WeightCertificate
///     "held": [[vertices], ...]                       of each joint
///     "raw": bufferView of float64, little endian     joints x vertices, joint after joint
///   }
/// Accessors cannot hold double precision, so the raw weights are a bufferView of their own.
Json add_certificate(const WeightCertificate& certificate, GltfBuilder& builder);

/// Reads it back bit for bit. A certificate that does not fit the asset means that a tool changed one and not the other: it is refused.
Result<WeightCertificate> read_certificate(const GltfDocument& document, const Json& certificate, size_t vertices, size_t handles,
                                           const std::string& where);

}  // namespace crumple::io
