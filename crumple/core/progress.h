#pragma once

#include <cstdio>
#include <string>

namespace crumple {

/// Tells a person or a program how far long work has come, with an estimate of what is left. Writes to stderr.
class Progress {
 public:
  enum class Style { Quiet, Human, Json };

  Progress(Style style, std::string what, long total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Cheap to call often: prints at most ten times a second for a person at a terminal, every five seconds into a file, twice a second
  /// as JSON. The estimate counts from the first call: neither what was done before it, such as loading, nor how long that took.
  void update(long done, const std::string& note = "");
  void finish();

 private:
  void print(long done, const std::string& note);
  Style style_;
  std::string what_;
  long total_, first_done_ = -1;  // first_done_, first_time_: of the first update
  double start_, first_time_ = 0, last_print_ = -1;
  bool terminal_, finished_ = false;
};

}  // namespace crumple
