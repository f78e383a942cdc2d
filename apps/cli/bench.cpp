#include "bench/bench.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/cli/command.h"

namespace crumple::cli {
namespace {

struct BenchOptions {
  std::string name;
  bench::Request request;
  double seconds = 0;
  int threads = 0;
  bool json = false;
};

struct Column {
  const char *heading, *key, *format;
  bool of_baseline = false;
};
constexpr Column kColumns[] = {{"bodies", "bodies", "{:.0f}"},
                               {"crumpling", "crumpling", "{:.0f}"},
                               {"simulated s", "simulated_s", "{:.4g}"},
                               {"wall s", "wall_s", "{:.2f}"},
                               {"x real time", "realtime_factor", "{:.2f}"},
                               {"by CPU", "realtime_factor_cpu", "{:.2f}"},
                               {"steps/s", "steps_per_s", "{:.0f}"},
                               {"frames/CPU s", "fps", "{:.0f}"},
                               {"rigid s", "rigid_s", "{:.2f}"},
                               {"deform s", "deform_s", "{:.2f}"},
                               {"deform/rigid", "deform_over_rigid", "{:.2f}"},
                               {"peak MB", "peak_mb", "{:.0f}"},
                               {"rigid/baseline", "rigid_over_uncrumpled", "{:.2f}", true},
                               {"all/baseline", "total_over_uncrumpled", "{:.2f}", true}};

/// A line of the table: what `cell` gives for each column, right-aligned under its heading.
template <class Cell>
std::string table_line(const std::string& name, bool baseline, const Cell& cell) {
  std::string line = fmt::format("{:<18}", name);
  for (const Column& column : kColumns) {
    if (!column.of_baseline || baseline) line += fmt::format("  {:>{}}", cell(column), std::string_view(column.heading).size());
  }
  return line;
}

void print_scene(const std::string& name, const Json& measured, bool baseline) {
  print("{}\n", table_line(name, baseline, [&](const Column& column) {
               const Json* value = measured.find(column.key);
               return value ? fmt::format(fmt::runtime(column.format), value->number) : std::string("-");
             }));
  if (const Json* frozen = measured.find("frozen"); frozen && frozen->number > 0) print("  {:.0f} bodies had to be frozen\n", frozen->number);
  std::fflush(stdout);
}

/// The table grows while scenes are measured.
int run_scenes(bench::Request request, bool as_json) {
  request.cancel = &interrupts();
  if (!as_json) {
    print("{} threads on a machine with a load of {:.1f}; nothing is recorded{}\n", request.threads, bench::machine_load(),
               request.baseline ? "; the baseline has bodies that stay rigid" : "");
    print("rigid and deform: CPU seconds of all threads; x real time: by wall time, and by CPU time\n");
    print("{}\n", table_line("scene", request.baseline, [](const Column& column) { return column.heading; }));
    std::fflush(stdout);
    request.done = [&](const std::string& scene, const Json& measured) { print_scene(scene, measured, request.baseline); };
  }
  Result<Json> result = bench::run("scenes", request);
  if (interrupted()) return kInterrupted;
  if (!result) return print_error(result.error());
  if (as_json) print("{}\n", write_json(*result));
  return kDone;
}

/// Whether it consists of rows of numbers under the same keys.
bool is_table(const Json& value) {
  if (!value.is_object() || value.members.empty()) return false;
  const Json& first = value.members[0].second;
  return std::all_of(value.members.begin(), value.members.end(), [&](const auto& row) {
    const auto fits = [](const auto& a, const auto& b) { return a.first == b.first && a.second.is_number() && b.second.is_number(); };
    const auto &cells = row.second.members, &keys = first.members;
    return row.second.is_object() && !cells.empty() && std::equal(cells.begin(), cells.end(), keys.begin(), keys.end(), fits);
  });
}

void print_table(const std::string& name, const Json& table) {
  std::string line = fmt::format("{:<18}", name);
  for (const auto& [key, first] : table.members[0].second.members) line += fmt::format("  {:>9}", key);
  print("{}\n", line);
  for (const auto& [row, cells] : table.members) {
    line = fmt::format("{:<18}", row);
    for (const auto& [key, cell] : cells.members) line += fmt::format("  {:>{}.{}g}", cell.number, std::max<size_t>(key.size(), 9), cell.number < 1e6 && cell.number >= 1e4 ? 6 : 4);
    print("{}\n", line);
  }
}

/// One line for each row of a table of tables, otherwise one for all.
void print_measured(const std::string& key, const Json& value) {
  if (is_table(value)) return print_table(key, value);
  const bool rows = value.is_object() && !value.members.empty() && value.members[0].second.find("ms_per_step");
  if (!rows) return print("{:<28} {}\n", key, value.is_number() ? fmt::format("{:.4g}", value.number) : write_json(value, 0));
  print("{:<18} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8} {:>9}\n", "ms a step", "particles", "mean", "median", "p95",
             "worst", "dynamics", "plastic", "tearing", "collision", "authors", "x faster", "1:2 wall");
  for (const auto& [name, row] : value.members) {
    const auto number = [&row = row](const char* table, const char* column) {
      const Json* found = *table ? row.find(table) : &row;
      found = found ? found->find(column) : nullptr;
      return found ? fmt::format("{:.{}f}", found->number, found->number < 1000 ? 2 : 0) : std::string("-");
    };
    print("{:<18} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>9} {:>9} {:>8} {:>9}\n", name, number("", "particles"),
               number("ms_per_step", "mean"), number("ms_per_step", "median"), number("ms_per_step", "p95"), number("ms_per_step", "worst"),
               number("parts", "dynamics"), number("parts", "plasticity"), number("parts", "fracture"), number("parts", "collision"),
               number("", "authors_ms"), number("", "authors_over_ours"), number("", "wall_1_over_2"));
  }
}

int run(BenchOptions options) {
  if (options.name == "scenes") {
    if (options.seconds > 0) options.request.seconds = options.seconds;
    if (options.threads > 0) options.request.threads = options.threads;
    return run_scenes(options.request, options.json);
  }
  const bool has_rows = options.name == "clusters" || options.name == "points" || options.name == "sprites";
  if ((!options.request.scenes.empty() && !has_rows) || options.request.baseline || options.seconds > 0 || options.threads > 0) {
    return print_error(input_error(fmt::format("bench {}: names of scenes, --baseline, --seconds and --threads are for 'bench scenes'", options.name)));
  }
  options.request.cancel = &interrupts();
  Result<Json> result = bench::run(options.name, options.request);
  if (interrupted()) return kInterrupted;
  if (!result) return print_error(result.error());
  if (options.json) {
    print("{}\n", write_json(*result));
    return kDone;
  }
  for (const auto& [key, value] : result->members) print_measured(key, value);
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  Command command(app, "bench", "Measure speed and memory");
  command.add_option("name", options->name, fmt::format("One of: {}", fmt::join(bench::names(), ", "))).required();
  command.add_option("scenes", options->request.scenes,
                      "For 'bench scenes': these only (names in scenes/, or files); for 'bench clusters', 'bench points' and 'bench sprites': these rows only");
  command.add_option("--seconds", options->seconds, "For 'bench scenes': only the first seconds of each scene").range(1e-3, 1e6);
  command.add_option("--threads", options->threads, "For 'bench scenes': threads to use (default 2)").range(1, 256);
  command.add_flag("--baseline", options->request.baseline, "For 'bench scenes': each once more with bodies that stay rigid, and the ratios");
  command.add_flag("--json", options->json, "As JSON");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace crumple::cli
