#pragma once

#include <string>
#include <string_view>

namespace crumple {

struct Character {
  unsigned code = 0;
  size_t length = 0;  // bytes; 0: this is not UTF-8
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text);

/// The text, if it is UTF-8; otherwise what its bytes mean in Latin-1, as older programs write names.
std::string as_utf8(std::string_view text);

}  // namespace crumple
