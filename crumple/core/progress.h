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

  /// Cheap to call often: prints at most ten times a second (human, on a terminal) or twice (otherwise).
  void update(long done, const std::string& note = "");
  void finish();

 private:
  void print(long done, const std::string& note);
  Style style_;
  std::string what_;
  long total_, last_done_ = 0;
  double start_, last_print_ = -1;
  bool terminal_, finished_ = false;
};

}  // namespace crumple
