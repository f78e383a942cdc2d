#include "apps/cli/command.h"

#include <cctype>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

namespace crumple::cli {
namespace {

std::atomic<bool> was_interrupted = false;

void note_interrupt(int) {
  was_interrupted = true;
}

/// Names in messages come from files: they must neither break the line nor talk to the terminal.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += std::iscntrl(static_cast<unsigned char>(c)) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  return line;
}

}  // namespace

int complain(const Error& error) {
  fmt::print(stderr, "crumple: {}\n", one_line(error.text));
  return error.kind == Error::Kind::Input ? kWrongInput : kFailed;
}

Result<void> check_output(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
  return system_error(fmt::format("{}: cannot be created: there is no folder {}", file, folder.string()));
}

const std::atomic<bool>& interrupted() {
  return was_interrupted;
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void Loudness::add_to(CLI::App& command) {
  command.add_flag("--quiet", quiet, "No progress");
  command.add_flag("--json-progress", json, "Progress as one JSON object a line, for farms");
}

}  // namespace crumple::cli
