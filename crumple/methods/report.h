#pragma once

#include <string>
#include <utility>
#include <vector>

#include "crumple/core/json.h"

namespace crumple {

/// What a report may ask.
struct ReportContext {
  double fps = 60;
  double first_break = -1;  // s, of the body's links; -1: none broke
  bool at_start = false;    // nothing has happened yet: only warnings are wanted
};

/// Report of a method on one body at the end of a run or of a recording. All entries are optional.
struct Report {
  /// An entry of the run's own numbers, put together over all bodies.
  struct Total {
    std::string key;
    double value = 0;
    bool is_first = false;  // the least counts instead of the sum; below 0: it has not happened
  };
  Json figures = Json::object({});                         // entries of run.json beside the body's name
  std::vector<std::pair<std::string, std::string>> lines;  // of the table after a run: what, and the text behind it
  std::vector<Total> totals;
  std::vector<std::pair<std::string, double>> seconds;     // CPU time of the parts of a step
  std::vector<std::string> warnings;                       // at the start: what can never act
};

}  // namespace crumple
