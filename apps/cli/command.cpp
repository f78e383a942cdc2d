#include "apps/cli/command.h"

#include <cctype>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace crumple::cli {
namespace {

constexpr size_t kLongestMessage = 2000, kKeptEnd = 500;  // letters

/// Names in messages come from files: they must neither break the line, nor talk to the terminal, nor fill it.
std::string one_line(std::string_view text) {
  if (text.size() > kLongestMessage) {
    return one_line(text.substr(0, kLongestMessage - kKeptEnd)) + " ... " + one_line(text.substr(text.size() - kKeptEnd));
  }
  std::string line;
  for (const char c : text) line += std::iscntrl(static_cast<unsigned char>(c)) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return line;
}

}  // namespace

void warn(const std::string& text) {
  print_message("warning: {}\n", one_line(text));
}

int print_error(const Error& error) {
  print_message("crumple: {}\n", one_line(error.text));
  return error.kind == Error::Kind::Input ? kWrongInput : kFailed;
}

Result<std::pair<int, int>> parse_frames(const std::string& text) {
  int first = -1;
  const char* end = text.data() + text.size();
  std::from_chars_result read = std::from_chars(text.data(), end, first);
  int last = first;
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
  if (read.ec != std::errc() || read.ptr != end || first < 0 || last < first) {
    return input_error(fmt::format("--frames {}: expected a range such as 0-240", text));
  }
  return std::pair{first, last};
}

Result<void> check_output(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
  return system_error(fmt::format("{}: cannot be created: there is no folder {}", file, folder.string()));
}

void ProgressOptions::add_to(Command& command) {
  command.add_flag("--quiet", quiet, "No progress");
  command.add_flag("--json-progress", json, "Progress as one JSON object a line, for farms");
}

}  // namespace crumple::cli
