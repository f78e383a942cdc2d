#pragma once

#include "crumple/geometry/frame.h"
#include "crumple/render/camera.h"
#include "crumple/render/canvas.h"

/// Pictures of flat scenes: seen straight along z, with textures as they were drawn and clean edges.
namespace crumple::render {

/// What a flat picture shows of the plane.
struct FlatWindow {
  Vec2 center = Vec2::Zero();
  double height = 2;  // m
};
/// What a camera sees of the plane z = 0.
FlatWindow window_of(const Camera& camera);

struct FlatSettings {
  int width = 960, height = 540;
  bool background = true;     // a pale sky; false: transparent
  double outline = 0.0045;    // of the height of the picture: lines around bodies without a picture
  std::vector<int> bodies;    // only these; empty: all
};

/// Items are drawn in their order, and layers of an item in the order of its triangles. The same bytes for any number of threads.
Picture render_flat(const Frame& frame, const FlatWindow& window, const FlatSettings& settings);

}  // namespace crumple::render
