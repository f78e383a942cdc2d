#include "crumple/core/process.h"

#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "crumple/core/console.h"

namespace crumple {
namespace {

constexpr long kGraceNanoseconds = 150'000'000;

// Signals belong to the process, so this does, too.
StopFlag interrupt_flag;
std::atomic<int> interrupt_count = 0;
std::atomic<bool> is_watched = false;
int interrupt_exit_code = 130;
sem_t interrupt_came;

struct Doom {
  std::string file;
  pid_t child = -1;
};
struct Registry {
  std::mutex mutex;
  std::map<long, Doom> dooms;
  long last_id = 0;
  std::string hint;
};

/// Never destroyed: the watching thread may need it while the process exits.
Registry& registry() {
  static Registry& only = *new Registry;
  return only;
}

long enter(Doom doom) {
  const std::lock_guard lock(registry().mutex);
  registry().dooms.emplace(++registry().last_id, std::move(doom));
  return registry().last_id;
}

void note_interrupt(int) {
  interrupt_flag.request();
  const int count = ++interrupt_count;
  if (is_watched) {
    sem_post(&interrupt_came);
  } else if (count > 1) {
    _exit(interrupt_exit_code);
  }
}

[[noreturn]] void cut_off() {
  {
    const std::lock_guard lock(registry().mutex);
    for (const auto& [id, doom] : registry().dooms) {
      if (doom.child > 0) kill(doom.child, SIGKILL);
      if (!doom.file.empty()) unlink(doom.file.c_str());
    }
  }
  print_interrupted();
  _exit(interrupt_exit_code);
}

void wait_for_interrupt() {
  while (sem_wait(&interrupt_came) != 0 && errno == EINTR) {
  }
}

/// Whether another interrupt comes within the grace time.
bool comes_again() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += kGraceNanoseconds;
  until.tv_sec += until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  int result = 0;
  while ((result = sem_timedwait(&interrupt_came, &until)) != 0 && errno == EINTR) {
  }
  return result == 0;
}

void watch() {
  // Signals go to the other threads: this one must stay free to act.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  wait_for_interrupt();
  if (comes_again() || !interrupt_flag.was_noticed()) cut_off();
  wait_for_interrupt();
  cut_off();
}

}  // namespace

void prepare_process() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) (void)!open("/dev/null", O_RDWR);  // gets the lowest number that is free
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void watch_interrupts(int exit_code) {
  interrupt_exit_code = exit_code;
  sem_init(&interrupt_came, 0, 0);
  try {
    std::thread(watch).detach();
    is_watched = true;
  } catch (const std::system_error&) {
    // Without the thread, work that looks at the flag still ends at the first signal, and any work at the second.
  }
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const StopFlag& interrupts() {
  return interrupt_flag;
}

void print_interrupted() {
  const std::lock_guard lock(registry().mutex);
  print_message("crumple: interrupted{}{}\n", registry().hint.empty() ? "" : "; ", registry().hint);
}

void set_interrupt_hint(std::string hint) {
  const std::lock_guard lock(registry().mutex);
  registry().hint = std::move(hint);
}

Doomed::Doomed(std::string file) : id_(enter({std::move(file)})) {}
Doomed::Doomed(pid_t child) : id_(enter({{}, child})) {}
Doomed::Doomed(Doomed&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

Doomed& Doomed::operator=(Doomed&& other) noexcept {
  if (this != &other) {
    spare();
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

void Doomed::spare() {
  if (id_ == 0) return;
  const std::lock_guard lock(registry().mutex);
  registry().dooms.erase(id_);
  id_ = 0;
}

}  // namespace crumple
