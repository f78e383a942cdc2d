#include "apps/cli/options.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <CLI/CLI.hpp>

namespace crumple::cli {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::range(double low, double high) {
  // "nan" is neither below nor above any bound.
  option_->check([](const std::string& text) { return std::isnan(std::strtod(text.c_str(), nullptr)) ? "Value " + text + " is not a number" : std::string(); });
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::single() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::may_be_bare() {
  option_->expected(0, 1);
  return *this;
}

Command::Command(CLI::App& app, const std::string& name, const std::string& help) : app_(app.add_subcommand(name, help)) {}

Option Command::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, int& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, uint64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::optional<std::string>& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::optional<int>& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::optional<double>& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

void Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  app_->add_flag(name, value, help);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::callback(std::function<void()> chosen) {
  app_->callback(std::move(chosen));
}

bool Command::has(const std::string& option) const {
  return app_->count(option) > 0;
}

}  // namespace crumple::cli
