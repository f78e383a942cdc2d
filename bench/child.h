#pragma once

#include <functional>
#include <string>

#include "crumple/core/result.h"
#include "crumple/core/stop.h"

namespace crumple::bench {

struct ChildReport {
  std::string answer;
  double peak_mb = 0;  // of memory, while it ran
};

/// Runs `work` in a copy of this process and gives back what it answered. The copy has no other threads than the one that calls: call
/// this before any have been started. A child that dies is an error; one that is cancelled is ended.
Result<ChildReport> run_in_child(const std::function<Result<std::string>()>& work, const StopFlag* cancel);

}  // namespace crumple::bench
