#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crumple/core/result.h"
#include "crumple/geometry/outline.h"
#include "crumple/rig/asset.h"
#include "crumple/rig/weights.h"

namespace crumple {

inline constexpr size_t kMaxFlatLayers = 64, kMaxFlatIslands = 200;

/// One layer of a drawing. All layers are of one size.
struct FlatLayer {
  std::string name;
  std::shared_ptr<const TextureImage> image;  // decoded
};

/// A handle of a drawing, in pixels: x to the right, y down. A bone has another end.
struct FlatHandle {
  std::string name;
  Vec2 at = Vec2::Zero();
  std::optional<Vec2> to;
  std::string layer;  // empty: the topmost that is painted there
};

struct FlatPin {
  std::string name;
  Vec2 at = Vec2::Zero();  // pixels
  std::string layer, to;   // empty: the topmost painted there, and the next one
};

struct FlatSettings {
  std::vector<FlatHandle> handles;
  int chosen = 0;         // handles in all, if more than given: those are chosen automatically
  std::vector<FlatPin> pins;
  double height = 0;      // m, of the picture; 0: 256 pixels make a metre
  OutlineSettings outline;
  WeightSettings weights;
};

struct FlatReport {
  size_t vertices = 0, triangles = 0, islands = 0;
  double edge = 0, smallest_angle = 180;  // m, degrees
  double weights_residual = 0;
  std::vector<std::string> warnings;
};

/// A rig of a drawing (thesis, section 4.2.1): outlines of its layers, triangles, handles and bounded biharmonic weights. Metres; the middle of the
/// picture is the origin. It has one example, the rest pose.
Result<Asset> make_flat_rig(std::span<const FlatLayer> layers, const FlatSettings& settings, FlatReport& report);

}  // namespace crumple
