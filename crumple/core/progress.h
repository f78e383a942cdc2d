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
  /// as JSON. The first call tells where the work begins: what was done before does not count for the estimate.
  void update(long done, const std::string& note = "");
  void finish();

 private:
  void print(long done, const std::string& note);
  Style style_;
  std::string what_;
  long total_, before_ = -1;  // before_: what was done before the first update
  double start_, last_print_ = -1;
  bool terminal_, finished_ = false;
};

}  // namespace crumple
