#pragma once

#include <span>
#include <string>
#include <string_view>

namespace crumple {

/// The candidate nearest to `word` if it is near enough to be a slip of the keys, otherwise empty. Words above 64 letters have none.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean \"yield\"?", or `otherwise` if nothing is near.
std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view otherwise = "");

/// A word from a file as it is shown in a message: cut off where it is very long.
std::string shortened(std::string_view word);

}  // namespace crumple
