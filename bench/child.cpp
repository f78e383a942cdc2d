#include "bench/child.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include <fmt/format.h>

namespace crumple::bench {
namespace {

// The first character of an answer.
constexpr char kAnswer = 'a', kInputError = 'i', kSystemError = 's';

void write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(to, bytes.data(), bytes.size());
    if (written <= 0 && errno != EINTR) return;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

std::string answer_of(const std::function<Result<std::string>()>& work) {
  try {
    const Result<std::string> done = work();
    if (done) return kAnswer + *done;
    return (done.error().kind == Error::Kind::Input ? kInputError : kSystemError) + done.error().text;
  } catch (const std::exception& error) {
    return kSystemError + std::string(error.what());
  }
}

[[noreturn]] void be_child(int to, const std::function<Result<std::string>()>& work) {
  // It ends with the parent, and at once when interrupted.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  write_all(to, answer_of(work));
  _exit(0);
}

/// Everything the child says until it closes its end.
std::string read_all(int from, pid_t child, const StopFlag* cancel) {
  std::string bytes;
  char buffer[4096];
  while (true) {
    pollfd waiting = {from, POLLIN, 0};
    poll(&waiting, 1, 100);
    if (cancel && cancel->requested()) kill(child, SIGKILL);
    if (waiting.revents == 0) continue;
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EINTR)) return bytes;
    if (got > 0) bytes.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace

Result<ChildReport> run_in_child(const std::function<Result<std::string>()>& work, const StopFlag* cancel) {
  int ends[2];
  if (pipe(ends) != 0) return system_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) return system_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], work);
  }
  close(ends[1]);
  std::string bytes = read_all(ends[0], child, cancel);
  close(ends[0]);
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (cancel && cancel->requested()) return system_error("interrupted");
  if (WIFSIGNALED(status)) return system_error(fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))));
  if (bytes.empty()) return system_error("ended without an answer");
  const std::string text = bytes.substr(1);
  if (bytes[0] == kInputError) return input_error(text);
  if (bytes[0] != kAnswer) return system_error(text);
  return ChildReport{text, static_cast<double>(used.ru_maxrss) / 1024};
}

}  // namespace crumple::bench
