#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apps/cli/command.h"
#include "crumple/core/suggest.h"

namespace {

using namespace crumple::cli;

/// All commands there are; a new one is a file and a line.
constexpr void (*kCommands[])(CLI::App&, Action&) = {add_run, add_check, add_info, add_doctor, add_rig, add_fit, add_sprite, add_pose, add_paint, add_score, add_section, add_export, add_render, add_bench, add_list, add_schema, add_shot, add_demo};

/// What is wrong with a line that names no command.
std::string wrong_command(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  if (words.empty()) return fmt::format("which command? One of {}", fmt::join(names, ", "));
  return fmt::format("unknown {} \"{}\"{}", words[0].starts_with("-") ? "option" : "command", words[0], crumple::suggestion(words[0], names));
}

/// What is wrong with the arguments of a command.
std::string wrong_arguments(const CLI::App& command, const std::vector<std::string>& words, const CLI::ParseError& error) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError)) return error.what();
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool unknown = name.starts_with("-") && name.size() > 1 && command.get_option_no_throw(name) == nullptr;
    if (unknown) return fmt::format("unknown option \"{}\"{}", name, crumple::suggestion(name, names));
  }
  return error.what();
}

/// Wrong usage in one line.
int print_usage_error(const CLI::App& app, const std::vector<std::string>& words, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const std::string what = chosen.empty() ? wrong_command(app, words) : wrong_arguments(*chosen[0], words, error);
  return print_error(crumple::input_error(fmt::format("{} (see 'crumple {}--help')", what, chosen.empty() ? "" : chosen[0]->get_name() + " ")));
}

int run(const Action& action) {
  try {
    return action ? action() : kWrongInput;
  } catch (const std::bad_alloc&) {
    return print_error(crumple::system_error("out of memory"));
  } catch (const std::exception& error) {
    return print_error(crumple::system_error(fmt::format("unexpected: {}", error.what())));
  }
}

/// The exit code of a command. An answer that got lost is no success.
int answer(const Action& action) {
  const int code = run(action);
  if (code == kInterrupted) crumple::print_interrupted();
  const crumple::Result<void> written = crumple::finish_output();
  return written || code != kDone ? code : print_error(written.error());
}

}  // namespace

int main(int argc, char** argv) {
  crumple::prepare_process();
  crumple::watch_interrupts(kInterrupted);
  CLI::App app("Crumple: bodies that crumple, break, yield and tear the way an artist wants them to", "crumple");
  app.require_subcommand(1);
  app.set_version_flag("--version", "crumple 0.1.0");
  Action action;
  for (const auto add : kCommands) add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return print_usage_error(app, std::vector<std::string>(argv + std::min(1, argc), argv + argc), error);
    return app.exit(error);  // --help, --version
  }
  return answer(action);
}
