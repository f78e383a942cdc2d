#include "crumple/render/sheet.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "crumple/render/text.h"

namespace crumple::render {
namespace {

constexpr Rgb kPaper = {250, 250, 249};
constexpr Rgb kInk = {62, 64, 68};
constexpr Rgb kFaintInk = {122, 124, 128};

void fill(io::Image& image, Rgb color) {
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = color[i % 3];
}

void paste(io::Image& sheet, const io::Image& tile, int left, int top) {
  if (tile.width <= 0) return;
  for (int y = 0; y < tile.height; ++y) std::memcpy(sheet.pixel(left, top + y), tile.pixel(0, y), size_t{3} * tile.width);
}

/// A line of text in the middle of a strip's height, starting at `left`.
void draw_line(io::Image& sheet, int left, int top, int strip, int width, double height, const std::string& text, Rgb color) {
  draw_text(sheet, left, top + 0.5 * (strip - height), height, fit_text(text, height, width), color);
}

}  // namespace

SheetLayout sheet_layout(int tile_width, bool captions, bool footer) {
  SheetLayout layout;
  layout.text_height = std::clamp(tile_width / 44.0, 8.0, 40.0);
  layout.gutter = std::max(2, tile_width / 60);
  if (captions) layout.caption = static_cast<int>(std::lround(2.4 * layout.text_height));
  if (footer) layout.footer = static_cast<int>(std::lround(2.6 * layout.text_height));
  return layout;
}

io::Image contact_sheet(const std::vector<io::Image>& tiles, int columns, const std::vector<std::string>& captions, const std::string& footer) {
  int width = 1, height = 1;
  for (const io::Image& tile : tiles) width = std::max(width, tile.width), height = std::max(height, tile.height);
  const int count = static_cast<int>(tiles.size());
  const int across = std::clamp(columns, 1, std::max(1, count));
  const int down = (count + across - 1) / across;
  const SheetLayout layout = sheet_layout(width, !captions.empty(), !footer.empty());
  const int row = height + std::max(layout.caption, layout.gutter);
  io::Image sheet(across * (width + layout.gutter) + layout.gutter, layout.gutter + down * row + layout.footer);
  fill(sheet, kPaper);
  for (int i = 0; i < count; ++i) {
    const io::Image& tile = tiles[static_cast<size_t>(i)];
    const int left = layout.gutter + i % across * (width + layout.gutter), top = layout.gutter + i / across * row;
    paste(sheet, tile, left + (width - tile.width) / 2, top + (height - tile.height) / 2);
    if (i >= static_cast<int>(captions.size())) continue;
    draw_line(sheet, left + 2, top + height, layout.caption, width - 4, layout.text_height, captions[static_cast<size_t>(i)], kInk);
  }
  if (!footer.empty()) {
    const int left = layout.gutter + 2;
    draw_line(sheet, left, sheet.height - layout.footer, layout.footer, sheet.width - 2 * left, layout.text_height, footer, kFaintInk);
  }
  return sheet;
}

}  // namespace crumple::render
