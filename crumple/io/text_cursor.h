#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "crumple/core/result.h"

namespace crumple::io {

/// Walks over words and numbers of a text and remembers the first thing that was wrong, with its line. After that every
/// read returns nothing, so a caller may read a whole section and ask once.
class TextCursor {
 public:
  TextCursor(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// Next word, or nothing at the end.
  std::string_view word();
  /// Next word of this line, or nothing at its end.
  std::string_view word_in_line();
  void skip_line();
  /// A finite number; `what` it should be is named if it is none.
  double number(std::string_view what) { return parse_number(word(), what); }
  double number_in_line(std::string_view what) { return parse_number(word_in_line(), what); }
  /// A whole number in [low, high].
  long whole(std::string_view what, long low, long high) { return parse_whole(word(), what, low, high); }
  /// How many items follow. Each takes at least `least_bytes`, so a count that the rest of the text cannot hold is refused
  /// before any allocation.
  size_t count(std::string_view what, size_t least_bytes);

  double parse_number(std::string_view word, std::string_view what);
  long parse_whole(std::string_view word, std::string_view what, long low, long high);

  bool at_end();
  bool failed() const { return failed_; }
  void fail(std::string_view complaint);
  /// "file:line: complaint"
  Error error() const { return input_error(message_); }
  int line() const { return line_; }
  size_t offset() const { return at_; }

 private:
  void skip_blanks(bool over_lines);
  std::string_view text_, name_;
  size_t at_ = 0;
  int line_ = 1;
  bool failed_ = false;
  std::string message_;
};

}  // namespace crumple::io
