#pragma once

#include <string>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/result.h"
#include "crumple/geometry/materials.h"

namespace crumple::render {

/// One picture of a sheet.
struct SheetCell {
  std::string name;      // of the frame
  Picture picture;       // all of the same size
  double seconds = 0;    // how long it is shown
  std::string tag;       // neighbours with the same tag are one animation
};

struct SheetNames {
  std::string image;    // the file of the picture, as the JSON names it
  Vec2 pivot = {0.5, 0.5};  // of a picture: share of its width, and of its height from the top
};

struct SpriteSheet {
  Picture picture;
  Json json;       // frames as TexturePacker's "JSON hash" has them, with durations and tags as Aseprite has them
  int pictures = 0;  // that differ
};

/// Packs pictures, without their transparent rims, into one. Equal ones share their place. The same bytes for the same pictures.
Result<SpriteSheet> pack_sprite_sheet(const std::vector<SheetCell>& cells, const SheetNames& names);

}  // namespace crumple::render
