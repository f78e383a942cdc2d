#pragma once

#include <functional>
#include <string>
#include <utility>

#include "apps/cli/options.h"
#include "crumple/core/console.h"
#include "crumple/core/process.h"
#include "crumple/core/progress.h"
#include "crumple/core/result.h"

namespace crumple::cli {

/// What the process answers with.
enum ExitCode {
  kDone = 0,
  kFailed = 1,       // something of ours or the disk
  kWrongInput = 2,
  kFrozen = 3,       // the simulation had to freeze a body or stop
  kInterrupted = 130,
};

/// Prints "crumple: ..." to stderr and gives the exit code that goes with it.
int print_error(const Error& error);

/// Prints "warning: ..." to stderr.
void warn(const std::string& text);

/// Complains about a file that cannot be written because its folder is missing, before any work has gone into it.
Result<void> check_output(const std::string& file);

/// The value of --frames: "A-B" or "A".
Result<std::pair<int, int>> parse_frames(const std::string& text);

/// Whether SIGINT or SIGTERM came.
inline bool interrupted() {
  return interrupts().requested();
}

/// How progress is shown, from --quiet and --json-progress.
struct ProgressOptions {
  bool quiet = false, json = false;
  void add_to(Command& command);
  Progress::Style style() const { return quiet ? Progress::Style::Quiet : json ? Progress::Style::Json : Progress::Style::Human; }
};

/// Adds a subcommand; its action is what runs if it is chosen.
using Action = std::function<int()>;
void add_bench(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_demo(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_fit(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_paint(CLI::App& app, Action& action);
void add_pose(CLI::App& app, Action& action);
void add_render(CLI::App& app, Action& action);
void add_rig(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_score(CLI::App& app, Action& action);
void add_section(CLI::App& app, Action& action);
void add_shot(CLI::App& app, Action& action);
void add_sprite(CLI::App& app, Action& action);

}  // namespace crumple::cli
