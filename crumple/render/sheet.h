#pragma once

#include <string>
#include <vector>

#include "crumple/io/image.h"

namespace crumple::render {

/// Sizes of a sheet's parts in pixels, chosen from the width of its tiles.
struct SheetLayout {
  int gutter = 0;   // between tiles and around them
  int caption = 0;  // strip under each tile
  int footer = 0;   // strip at the bottom
  double text_height = 0;
};
SheetLayout sheet_layout(int tile_width, bool captions, bool footer);

/// Pictures side by side in rows, each over its caption, and one line about all of them below. Tiles of different sizes are centred in
/// cells of the largest. Missing captions are left empty.
io::Image contact_sheet(const std::vector<io::Image>& tiles, int columns, const std::vector<std::string>& captions, const std::string& footer);

}  // namespace crumple::render
