#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace crumple::cli {

/// An option or argument of a command.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& range(int low, int high);
  Option& range(double low, double high);
  Option& one_of(const std::vector<std::string>& words);
  Option& single();       ///< takes one word each time it is given
  Option& may_be_bare();  ///< takes a word or none

 private:
  CLI::Option* option_;
};

/// A command of the program and what it takes. Only options.cpp sees the library that reads command lines, which is slow to compile.
class Command {
 public:
  Command(CLI::App& app, const std::string& name, const std::string& help);
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, int& value, const std::string& help);
  Option add_option(const std::string& names, double& value, const std::string& help);
  Option add_option(const std::string& names, uint64_t& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::string>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<int>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<double>& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& value, const std::string& help);
  void add_flag(const std::string& name, bool& value, const std::string& help);
  void footer(const std::string& text);
  /// Called once the command has been chosen and its options are read.
  void callback(std::function<void()> chosen);
  bool has(const std::string& option) const;  ///< whether it was given

 private:
  CLI::App* app_;
};

}  // namespace crumple::cli
