#pragma once

#include <string>

#include "crumple/io/gltf_scene.h"
#include "crumple/rig/asset.h"

namespace crumple::io {

/// The pieces of a scored asset as a member of its glTF extension:
///   "pieces": {
///     "surfaces":   [{"mesh": index, "skin": primitive(s), "cut": primitive}, ...]   of each piece; may lack one of them. A skin of several materials is a list
///     "tetrahedra": accessor SCALAR unsigned        the piece of each tetrahedron
///     "origins":    accessor SCALAR unsigned        of each vertex; copies of one have equal numbers
///     "volumes":    bufferView of float64           of each vertex, little endian
///     "cut": {                                      tetrahedra that touch a cut, with the corners of what is filled of them; may be left out
///       "tetrahedra": accessor SCALAR unsigned,     ascending
///       "first":      accessor SCALAR unsigned,     one more than there are tetrahedra
///       "corners":    accessor VEC4 float,          barycentric
///       "inward":     accessor VEC3 float
///     },
///     "links": [{"pieces": [a, b], "area", "center": [x, y, z], "normal": [x, y, z], "spread": [xx, xy, xz, yy, yz, zz]}, ...]
///     "material":   index                           of the broken faces
///   }
/// The surfaces are plain meshes that the nodes of a second scene, "pieces", show; the first scene shows the body as long as it is whole.
/// `materials` are those of the outside, as numbers of the document.
Json add_pieces(const Pieces& pieces, std::span<const size_t> materials, GltfBuilder& builder);

/// Reads them back bit for bit. `place` is where the asset stands in the scene; a scored asset may be moved and turned there, not scaled.
/// Numbers are checked as far as they count or name something in the file; check_asset does the rest.
/// `whole` is the surface of the body, and `numbers` has its number of each material of the document.
struct WholeSurface {
  const TriMesh& surface;
  const std::vector<int>& numbers;
};
Result<Pieces> read_pieces(GltfScene& scene, const Json& pieces, const Eigen::Affine3d& place, const WholeSurface& whole, const std::string& where);

}  // namespace crumple::io
