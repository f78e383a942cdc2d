#include "bench/bench.h"

#include <filesystem>

#include <fmt/format.h>

namespace crumple::bench {
namespace {

struct Entry {
  const char* name;
  Result<Json> (*run)(const Request& request);
};
constexpr Entry kEntries[] = {{"examples", run_examples}, {"weights", run_weights}, {"joints", run_joints}, {"clusters", run_clusters}, {"dents", run_dents}, {"bends", run_bends}, {"points", run_points}, {"sprites", run_sprites}, {"scenes", run_scenes}};

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry& entry : kEntries) all.emplace_back(entry.name);
  return all;
}

Result<Json> run(const std::string& name, const Request& request) {
  for (const Entry& entry : kEntries) {
    if (name == entry.name) return entry.run(request);
  }
  return input_error(fmt::format("there is no benchmark \"{}\"; there are: {}", name, fmt::join(names(), ", ")));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::string project_file(const std::string& relative) {
  std::error_code ignored;
  if (std::filesystem::exists(relative, ignored)) return relative;
  return (std::filesystem::path(CRUMPLE_SOURCE_DIR) / relative).string();
}

}  // namespace crumple::bench
