#pragma once

#include <sys/types.h>

#include <string>

#include "crumple/core/stop.h"

/// Process-wide setup, once at the start of a program. The library never does this by itself: it belongs to the owner of main().
namespace crumple {

/// Opens descriptors 0 to 2 where they are closed, so that no file of ours can get them, and turns SIGPIPE and SIGXFSZ into ordinary write errors.
void prepare_process();

/// From now on SIGINT and SIGTERM request a stop. Work that does not notice it within 150 ms, and any work at a second signal, is cut off: temporary
/// files are removed, child processes killed, and the process ends with `exit_code`.
void watch_interrupts(int exit_code);

/// Requested by the signals above.
const StopFlag& interrupts();

/// What is said at an interrupt besides "interrupted", such as how to continue.
void set_interrupt_hint(std::string hint);
/// Says "crumple: interrupted" and the hint. For commands that end by themselves; one that is cut off says it anyway.
void print_interrupted();

/// A file or process that must not outlive this one if it is cut off.
class Doomed {
 public:
  Doomed() = default;
  explicit Doomed(std::string file);
  explicit Doomed(pid_t child);
  Doomed(Doomed&& other) noexcept;
  Doomed& operator=(Doomed&& other) noexcept;
  ~Doomed() { spare(); }
  /// It has found its end, or its place.
  void spare();

 private:
  long id_ = 0;
};

}  // namespace crumple
