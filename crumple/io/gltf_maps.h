#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/io/gltf_scene.h"
#include "crumple/material/map.h"

namespace crumple::io {

/// Painted strength in glTF. A primitive may carry, in either case of letters and with any number of underscores before (Blender adds one),
///   _YIELD, _GAIN, _RADIUS, _STRENGTH, _TOUGHNESS:
///                           SCALAR           the factor itself
///                           VEC3 or VEC4     a colour: twice the mean of red, green and blue, so that grey of 0.5 changes nothing
/// A mesh, or the node that shows it, may also name a layer of vertex colours that is meant as strength and not as its look,
///   "extras": {"crumple_paint": "COLOR_1"}   twice the red is the factor of the yield, twice the green that of the gain, twice the blue
///                                            that of the radius
/// An attribute of a knob's own counts more than the layer. Where nothing is painted, the factor is 1.

/// The maps of all meshes of a scene, with vertices in the order of gather_surface; `vertices` is how many that found.
Result<std::vector<PaintedMap>> gather_maps(GltfScene& scene, size_t vertices);
/// Those of a .glb or .gltf whose surface is what read_mesh gives; none for other formats.
Result<std::vector<PaintedMap>> read_maps(const std::filesystem::path& file);

/// Adds the maps to a primitive's attributes.
void add_maps(std::span<const PaintedMap> maps, GltfBuilder& builder, Json& attributes);

}  // namespace crumple::io
