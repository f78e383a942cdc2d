#include <gtest/gtest.h>

#include "crumple/core/characters.h"

namespace crumple {
namespace {

TEST(Characters, are_taken_one_by_one) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  const Character want[] = {{'a', 1}, {0xE9, 2}, {0x20AC, 3}, {0x1F600, 4}};
  size_t at = 0;
  for (const Character& one : want) {
    const Character found = first_character(std::string_view(text).substr(at));
    EXPECT_EQ(found.code, one.code);
    EXPECT_EQ(found.length, one.length);
    at += found.length;
  }
  EXPECT_EQ(at, text.size());
  for (const char* wrong : {"\xA9", "\xC3", "\xC3(", "\xC0\x80", "\xFF"}) EXPECT_EQ(first_character(wrong).length, 0u);
}

TEST(Characters, names_of_older_programs_become_utf_8) {
  EXPECT_EQ(as_utf8("Stra\xDF"
                    "e"),
            "Stra\xC3\x9F"
            "e");
  EXPECT_EQ(as_utf8("Stra\xC3\x9F"
                    "e"),
            "Stra\xC3\x9F"
            "e");
  EXPECT_EQ(as_utf8(""), "");
}

}  // namespace
}  // namespace crumple
