#include "crumple/core/suggest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace crumple {
namespace {

constexpr size_t kLongestWord = 64;  // a longer one is no slip of the keys, and comparing costs the square of the length
constexpr size_t kLongestShown = 200;

/// Insertions, deletions, substitutions and exchanges of neighbours that turn one word into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before2, before(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before2[j - 2] + 1);
    }
    before2 = before;
    before = row;
  }
  return before[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  if (word.size() > kLongestWord) return best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // Lengths that differ by more are farther apart than that.
    if (candidate.size() >= word.size() + best_distance || word.size() >= candidate.size() + best_distance) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates, std::string_view otherwise) {
  const std::string near = nearest_word(word, candidates);
  return near.empty() ? std::string(otherwise) : fmt::format("; did you mean \"{}\"?", near);
}

std::string shortened(std::string_view word) {
  if (word.size() <= kLongestShown) return std::string(word);
  size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) --end;  // not inside a character of UTF-8
  return fmt::format("{}... ({} letters)", word.substr(0, end), word.size());
}

}  // namespace crumple
