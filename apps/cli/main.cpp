#include <fmt/format.h>

#include "apps/cli/command.h"

namespace {

using namespace crumple::cli;

/// All commands there are; a new one is a file and a line.
constexpr void (*kCommands[])(CLI::App&, Action&) = {add_run, add_check, add_info, add_export, add_render, add_bench, add_list, add_schema, add_demo};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Crumple: rigid bodies that dent, bend and crumple the way an artist posed them", "crumple");
  app.require_subcommand(1);
  app.set_version_flag("--version", "crumple 0.1.0");
  Action action;
  for (const auto add : kCommands) add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool wanted = error.get_exit_code() == 0;  // --help, --version
    app.exit(error);
    return wanted ? kDone : kWrongInput;
  }
  catch_interrupts();
  try {
    return action ? action() : kWrongInput;
  } catch (const std::bad_alloc&) {
    return complain(crumple::system_error("out of memory"));
  } catch (const std::exception& error) {
    return complain(crumple::system_error(fmt::format("unexpected: {}", error.what())));
  }
}
