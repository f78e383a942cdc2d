#pragma once

#include <ctime>

namespace crumple {

inline double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
/// CPU time of all threads of this process: what a run costs whatever else the machine does.
inline double cpu_seconds() { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); }
inline double wall_seconds() { return clock_seconds(CLOCK_MONOTONIC); }

/// Adds the CPU time of its own life to `total`.
class CpuTimer {
 public:
  explicit CpuTimer(double& total) : total_(total), start_(cpu_seconds()) {}
  ~CpuTimer() { total_ += cpu_seconds() - start_; }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

 private:
  double& total_;
  double start_;
};

/// Adds the CPU time that its own thread spends in its life to `total`: for work that runs beside other work.
class ThreadCpuTimer {
 public:
  explicit ThreadCpuTimer(double& total) : total_(total), start_(clock_seconds(CLOCK_THREAD_CPUTIME_ID)) {}
  ~ThreadCpuTimer() { total_ += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start_; }
  ThreadCpuTimer(const ThreadCpuTimer&) = delete;
  ThreadCpuTimer& operator=(const ThreadCpuTimer&) = delete;

 private:
  double& total_;
  double start_;
};

/// Adds the wall time of its own life to `total`.
class WallTimer {
 public:
  explicit WallTimer(double& total) : total_(total), start_(wall_seconds()) {}
  ~WallTimer() { total_ += wall_seconds() - start_; }
  WallTimer(const WallTimer&) = delete;
  WallTimer& operator=(const WallTimer&) = delete;

 private:
  double& total_;
  double start_;
};

}  // namespace crumple
