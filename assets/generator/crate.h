#pragma once

#include "crumple/rig/asset.h"

namespace crumple::generator {

/// A crate of planks in a frame of battens, about the origin.
Asset make_crate();

/// Width, height and depth.
inline const Vec3 kCrateSize(0.8, 0.6, 0.6);

TriMesh crate_surface();
std::vector<Example> crate_examples(const std::vector<Handle>& handles);

// Handles are numbered corners first (bit 0 of the number: the side in x, bit 1: y, bit 2: z), then faces (-x, +x, -y, ...).
inline constexpr int kCorners = 8, kFaces = 6, kCrateHandles = kCorners + kFaces;

}  // namespace crumple::generator
