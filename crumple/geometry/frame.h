#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crumple/geometry/mesh.h"

namespace crumple {

class Fields;

/// Appearance; nothing here changes the motion.
struct Appearance {
  Vec3f color = Vec3f(0.62f, 0.62f, 0.60f);  // linear RGB
  double metal = 0.0;                        // 0 paint .. 1 bare metal
  double roughness = 0.6;
  bool visible = true;
  std::string name = {};      // of the material it comes from; empty: none
  std::optional<Vec3f> paint = {};  // linear RGB, in place of the colour that covers most of a surface with colours of its own
};

void describe(Fields& fields, Appearance& look);

/// One drawn thing of a frame. Its vertices are place * positions[i].
struct FrameItem {
  std::string name;                        // of the body, or body/part
  int body = -1;                           // index in the scene
  int piece = 0;                           // which piece of the body, for colouring
  std::shared_ptr<const std::vector<int>> pieces;  // #triangles or none: pieces of a surface that encloses several; numbers stay with their matter
  std::shared_ptr<const TriMesh> surface;  // rest shape and triangles, shared by all instances
  float ball_radius = 0;                   // more than 0: there is no surface, but a ball around each of the positions
  std::vector<Vec3f> positions;            // current shape in the item's own frame; empty: the rest shape
  std::vector<Vec3f> colors;               // #vertices or empty: linear RGB by example weights
  Transform place;
  Appearance look;
  std::string doing;      // name of a behaviour; empty: none
  bool backdrop = false;  // an infinite plane: cameras do not try to fit it
};

/// What there is to see at one moment; the same for pictures, exports and viewers.
struct Frame {
  int number = 0;
  double time = 0;  // seconds
  std::vector<FrameItem> items;
  bool flat = false;  // of a flat scene: seen straight along z
};

}  // namespace crumple
