#include <fmt/format.h>

#include "apps/cli/command.h"
#include "bench/bench.h"

namespace crumple::cli {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

int run(const Options& options) {
  Result<Json> result = bench::run(options.name);
  if (!result) return complain(result.error());
  if (options.json) {
    fmt::print("{}\n", write_json(*result));
    return kDone;
  }
  for (const auto& [key, value] : result->members) {
    fmt::print("{:<28} {}\n", key, value.is_number() ? fmt::format("{:.4g}", value.number) : write_json(value, 0));
  }
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measure speed and memory");
  command->add_option("name", options->name, fmt::format("One of: {}", fmt::join(bench::names(), ", ")))->required();
  command->add_flag("--json", options->json, "As JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
