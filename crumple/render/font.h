#pragma once

#include <string_view>

namespace crumple::render {

/// The dots of a character on a grid five wide: rows from the top as five digits each, a space between rows. Seven rows stand on the
/// line, two more may hang below it. Characters we do not have show as a box.
std::string_view glyph_dots(char character);

}  // namespace crumple::render
