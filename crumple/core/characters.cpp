#include "crumple/core/characters.h"

namespace crumple {

Character first_character(std::string_view text) {
  const unsigned first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC0 || first > 0xF7 || text.size() < length) return {};
  unsigned code = first & (0x7Fu >> length);
  for (const char next : text.substr(1, length - 1)) {
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (static_cast<unsigned>(next) & 0x3F);
  }
  constexpr unsigned kLeast[] = {0x80, 0x800, 0x10000};  // of two, three and four bytes: fewer would have done for less
  return code < kLeast[length - 2] ? Character{} : Character{code, length};
}

std::string as_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character next = first_character(text.substr(at));
    if (next.length > 0) {
      at += next.length;
      continue;
    }
    std::string latin;
    for (const char c : text) {
      const unsigned code = static_cast<unsigned char>(c);
      if (code < 0x80)
        latin += c;
      else
        latin += static_cast<char>(0xC0 | (code >> 6)), latin += static_cast<char>(0x80 | (code & 0x3F));
    }
    return latin;
  }
  return std::string(text);
}

}  // namespace crumple
