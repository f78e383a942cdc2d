#pragma once

#include <atomic>

namespace crumple {

/// A request to stop, made by a signal, a button or another thread. Long work looks at it between two pieces of work.
class StopFlag {
 public:
  void request() { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const {
    if (!requested_.load(std::memory_order_relaxed)) return false;
    noticed_.store(true, std::memory_order_relaxed);
    return true;
  }
  /// The work has seen the request and is about to end by itself.
  bool was_noticed() const { return noticed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_ = false;
  mutable std::atomic<bool> noticed_ = false;
};

}  // namespace crumple
