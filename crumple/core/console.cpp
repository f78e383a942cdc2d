#include "crumple/core/console.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace crumple {
namespace {

std::atomic<int> output_error = 0;  // errno of the first output that was lost

}  // namespace

void write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  int none = 0;
  output_error.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

void write_message(std::string_view text) {
  // Lost messages have nowhere to be reported.
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) return;
  std::fflush(stderr);
}

Result<void> finish_output() {
  errno = 0;
  int error = output_error.load();
  if (std::fflush(stdout) != 0 && error == 0) error = errno != 0 ? errno : EIO;
  if (error == 0 || error == EPIPE) return {};
  return system_error(fmt::format("standard output: writing failed: {}", std::strerror(error)));
}

}  // namespace crumple
