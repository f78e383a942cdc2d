#pragma once

#include <string>
#include <vector>

#include "crumple/core/json.h"

/// Benchmarks: one entry a method, with ratios against a baseline measured in the same run.
namespace crumple::bench {

std::vector<std::string> names();
Result<Json> run(const std::string& name);

Result<Json> run_examples();
Result<Json> run_weights();

/// Where scenes/ and assets/ lie: the working folder, or the one the program was built from.
std::string project_file(const std::string& relative);

}  // namespace crumple::bench
