#pragma once

#include <string>

#include "crumple/geometry/frame.h"

namespace crumple::io {

/// Exporters leave out what is hidden or has no triangles.
bool is_drawn(const FrameItem& item);

/// Whether two surfaces are one in a file: same vertices, triangles and materials.
bool same_surface(const TriMesh& a, const TriMesh& b);

/// Empty if the item can be written, else what is wrong with it. Its surface is checked apart, because it need be only once.
std::string trouble_with_item(const FrameItem& item);
std::string trouble_with_surface(const TriMesh& mesh);

}  // namespace crumple::io
