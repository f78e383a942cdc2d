#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "crumple/core/result.h"

namespace crumple {

/// Text to standard output (the answer of a command) or to standard error (what a person should know besides). Text that cannot be written, to a
/// full disk or a reader that went away, is dropped: it must not end the work it tells about.
void write_output(std::string_view text);
void write_message(std::string_view text);

template <class... Values>
void print(fmt::format_string<Values...> text, Values&&... values) {
  write_output(fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void print_message(fmt::format_string<Values...> text, Values&&... values) {
  write_message(fmt::format(text, std::forward<Values>(values)...));
}

/// Flushes standard output. An error if some of it was lost, except to a reader that went away by itself.
Result<void> finish_output();

}  // namespace crumple
