#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "crumple/io/image.h"

namespace crumple::render {

using Rgb = std::array<uint8_t, 3>;

/// How wide a line of text of that height gets, in pixels; `height` is that of a capital letter.
int text_width(std::string_view text, double height);

/// Draws a line of text with its top left corner at (x, y), smooth at any size. What falls outside of the picture is cut off.
void draw_text(io::Image& image, double x, double y, double height, std::string_view text, Rgb color);

/// As much of the text as fits in `width` pixels, ending in dots if some does not.
std::string fit_text(std::string_view text, double height, int width);

}  // namespace crumple::render
