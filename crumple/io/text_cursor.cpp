#include "crumple/io/text_cursor.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace crumple::io {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

std::string shown(std::string_view word) {
  constexpr size_t kLongest = 40;
  std::string text;
  for (const char c : word.substr(0, kLongest)) text += c >= ' ' && c <= '~' ? c : '?';
  return word.size() > kLongest ? text + "..." : text;
}

std::string_view without_plus(std::string_view word) {
  return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

}  // namespace

void TextCursor::skip_blanks(bool over_lines) {
  while (at_ < text_.size() && is_blank(text_[at_])) {
    if (text_[at_] == '\n') {
      if (!over_lines) return;
      ++line_;
    }
    ++at_;
  }
}

std::string_view TextCursor::word() {
  skip_blanks(true);
  return word_in_line();
}

std::string_view TextCursor::word_in_line() {
  if (failed_) return {};
  skip_blanks(false);
  const size_t begin = at_;
  while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

void TextCursor::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ < text_.size()) ++at_, ++line_;
}

size_t TextCursor::count(std::string_view what, size_t least_bytes) {
  const long wanted = whole(what, 0, 1L << 40);
  if (failed_) return 0;
  const size_t room = (text_.size() - at_) / least_bytes;
  if (static_cast<size_t>(wanted) <= room + 1) return static_cast<size_t>(wanted);
  fail(fmt::format("{} is {}, but the rest of the file has no room for so many; it is cut off or damaged", what, wanted));
  return 0;
}

double TextCursor::parse_number(std::string_view word, std::string_view what) {
  const std::string_view digits = without_plus(word);
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // Too small for a double counts as zero; too large is non-finite.
  const bool tiny = problem == std::errc::result_out_of_range && digits.find_first_of("eE") + 1 == digits.find('-', 1);
  if (tiny && end == digits.data() + digits.size()) return 0;
  if (!word.empty() && problem == std::errc() && end == digits.data() + digits.size() && std::isfinite(value)) return value;
  if (word.empty()) {
    fail(fmt::format("{} is missing", what));
  } else {
    fail(fmt::format("{} should be a finite number, but is \"{}\"", what, shown(word)));
  }
  return 0;
}

long TextCursor::parse_whole(std::string_view word, std::string_view what, long low, long high) {
  const std::string_view digits = without_plus(word);
  long value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (!word.empty() && problem == std::errc() && end == digits.data() + digits.size() && value >= low && value <= high) return value;
  if (word.empty()) {
    fail(fmt::format("{} is missing", what));
  } else {
    fail(fmt::format("{} should be a whole number from {} to {}, but is \"{}\"", what, low, high, shown(word)));
  }
  return low;
}

bool TextCursor::at_end() {
  skip_blanks(true);
  return at_ >= text_.size();
}

void TextCursor::fail(std::string_view complaint) {
  if (failed_) return;
  failed_ = true;
  message_ = fmt::format("{}:{}: {}", name_, line_, complaint);
}

}  // namespace crumple::io
