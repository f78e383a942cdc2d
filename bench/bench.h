#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/stop.h"
#include "crumple/core/timer.h"

/// Benchmarks: one entry a method, with ratios against a baseline measured in the same run.
namespace crumple::bench {

/// What "scenes" is to measure; of the other entries some take names of rows.
struct Request {
  std::vector<std::string> scenes;                           // names in scenes/, or files; none: all of scenes/
  double seconds = std::numeric_limits<double>::infinity();  // of the scenes' own time, from the start
  bool baseline = false;                                     // each scene once more with bodies that stay rigid
  int threads = 2;
  const StopFlag* cancel = nullptr;
  std::function<void(const std::string& scene, const Json& measured)> done;  // after each scene
};

std::vector<std::string> names();
Result<Json> run(const std::string& name, const Request& request = {});

Result<Json> run_examples(const Request&);
Result<Json> run_weights(const Request&);
Result<Json> run_joints(const Request&);
Result<Json> run_dents(const Request&);
Result<Json> run_bends(const Request&);
/// `scenes` may name some of its rows.
Result<Json> run_points(const Request& request);
/// `scenes` may name some of its rows.
Result<Json> run_sprites(const Request& request);
/// `scenes` may name some of its rows; a child process measures each. Call it before anything else has used threads.
Result<Json> run_clusters(const Request& request);
/// Each scene runs in a process of its own, so that memory does not add up. Call it before anything else has used threads.
Result<Json> run_scenes(const Request& request);

/// CPU seconds of the fastest of some runs.
template <class Work>
double least_seconds(int runs, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - start);
  }
  return least;
}

/// 0 of nothing.
double mean(const std::vector<double>& values);

/// How many threads of all programs wanted to run in the last minute. Wall times mean little where that exceeds the cores.
double machine_load();

/// Where scenes/ and assets/ lie: the working folder, or the one the program was built from.
std::string project_file(const std::string& relative);

}  // namespace crumple::bench
