#include "apps/cli/command.h"

#include <csignal>

#include <fmt/format.h>

namespace crumple::cli {
namespace {

std::atomic<bool> was_interrupted = false;

void note_interrupt(int) {
  was_interrupted = true;
}

}  // namespace

int complain(const Error& error) {
  fmt::print(stderr, "crumple: {}\n", error.text);
  return error.kind == Error::Kind::Input ? kWrongInput : kFailed;
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
