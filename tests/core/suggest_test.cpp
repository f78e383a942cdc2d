#include "crumple/core/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace crumple {
namespace {

TEST(Suggest, only_near_words_are_suggested) {
  const std::vector<std::string> words = {"friction", "restitution", "damping"};
  EXPECT_EQ(nearest_word("fricton", words), "friction");
  EXPECT_EQ(nearest_word("dampign", words), "damping");
  EXPECT_EQ(nearest_word("bounciness", words), "");
  EXPECT_EQ(nearest_word("x", {}), "");
  EXPECT_EQ(suggestion("fricton", words), "; did you mean \"friction\"?");
  EXPECT_EQ(suggestion("bounciness", words, "; see the docs"), "; see the docs");
}

/// Comparing them would take 24 s.
TEST(Suggest, very_long_words_are_not_compared) {
  const std::string one(100'000, 'n'), other(100'000, 'm');
  EXPECT_EQ(nearest_word(one, std::vector{other}), "");
  EXPECT_EQ(nearest_word("n", std::vector{other}), "");
}

}  // namespace
}  // namespace crumple
