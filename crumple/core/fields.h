#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "crumple/core/json.h"
#include "crumple/core/keyed.h"

namespace crumple {

/// The allowed range of a number, ends included unless `above` is set.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  // the low end itself is not allowed
};
inline Limits at_least(double low) { return {low}; }
inline Limits more_than(double low) { return {low, std::numeric_limits<double>::infinity(), true}; }
inline Limits between(double low, double high) { return {low, high}; }

/// What a key means, for help, schema and tables.
struct About {
  std::string_view help;
  std::string_view unit = "";
};

/// Visits the keys of one object. A type's describe(Fields&, T&) is written once and serves reading (with "unknown key" errors
/// and suggestions), writing, and the JSON Schema from which tables in the docs are made.
class Fields {
 public:
  enum class Mode { Read, Write, Schema };

  void number(std::string_view key, double& value, Limits limits, About about);
  void number(std::string_view key, std::optional<double>& value, Limits limits, About about);
  void integer(std::string_view key, int& value, Limits limits, About about);
  void flag(std::string_view key, bool& value, About about);
  /// One that is written only where it differs from `usual`: files from before it was there keep their hash.
  void flag_unless(std::string_view key, bool usual, bool& value, About about);
  void number_unless(std::string_view key, double usual, double& value, Limits limits, About about);
  void text(std::string_view key, std::string& value, About about);
  /// An array of exactly `count` numbers, or of any number of them if `count` is 0.
  void numbers(std::string_view key, std::optional<std::vector<double>>& value, size_t count, About about);

  /// Three numbers, into anything that has them at [0], [1], [2].
  template <class Vector>
  void vector(std::string_view key, Vector& value, About about) {
    std::optional<std::vector<double>> list = std::vector<double>{value[0], value[1], value[2]};
    numbers(key, list, 3, about);
    for (int i = 0; list && i < 3; ++i) value[i] = (*list)[static_cast<size_t>(i)];
  }
  template <class Vector>
  void vector(std::string_view key, std::optional<Vector>& value, About about) {
    std::optional<std::vector<double>> list;
    if (value) list = {(*value)[0], (*value)[1], (*value)[2]};
    numbers(key, list, 3, about);
    if (list) value = Vector((*list)[0], (*list)[1], (*list)[2]);
  }
  /// A value, or one with keys over time: {"keys": [[time, value], ...], "between": "linear"}. `count` is 1 for a number, otherwise that of a vector's.
  template <class T>
  void keyed(std::string_view key, Keyed<T>& value, size_t count, Limits limits, About about) {
    KeyRows rows{value.between, {}};
    const auto add = [&](double time, const T& at) {
      std::vector<double>& row = rows.rows.emplace_back(1, time);
      for (size_t i = 0; i < count; ++i) row.push_back(part(at, i));
    };
    for (const auto& [time, at] : value.keys) add(time, at);
    if (value.keys.empty()) add(0, value.value);
    if (!key_rows(key, rows, !value.keys.empty(), count, limits, about)) return;
    const auto take = [&](const std::vector<double>& row) {
      T at{};
      for (size_t i = 0; i < count; ++i) part(at, i) = row[i + 1];
      return at;
    };
    value.value = take(rows.rows.front()), value.between = rows.between, value.keys.clear();
    for (const std::vector<double>& row : rows.rows) {
      if (rows.has_times) value.keys.emplace_back(row[0], take(row));
    }
  }
  /// Three floats between 0 and 1, linear RGB.
  template <class Color>
  void color(std::string_view key, Color& value, About about) {
    // Six decimals: 0.62, not the double nearest to the float 0.62.
    std::optional<std::vector<double>> list = std::vector<double>{six_decimals(value[0]), six_decimals(value[1]), six_decimals(value[2])};
    numbers(key, list, 3, about);
    for (int i = 0; list && i < 3; ++i) {
      const double part = (*list)[static_cast<size_t>(i)];
      if (part < 0 || part > 1) return fail(key, "each part of a colour must be between 0 and 1");
      value[i] = static_cast<float>(part);
    }
  }
  template <class Color>
  void color(std::string_view key, std::optional<Color>& value, About about) {
    std::optional<std::vector<double>> list;
    if (value) list = {six_decimals((*value)[0]), six_decimals((*value)[1]), six_decimals((*value)[2])};
    numbers(key, list, 3, about);
    if (!list) return;
    for (const double part : *list) {
      if (part < 0 || part > 1) return fail(key, "each part of a colour must be between 0 and 1");
    }
    value = Color(static_cast<float>((*list)[0]), static_cast<float>((*list)[1]), static_cast<float>((*list)[2]));
  }
  /// An object that reading skips and writing leaves out: what a program has worked out, for a person.
  void skipped(std::string_view key, About about);
  void texts(std::string_view key, std::vector<std::string>& value, About about);
  void texts(std::string_view key, std::map<std::string, std::string>& value, About about);

  template <class Enum>
  void choice(std::string_view key, Enum& value, const std::vector<std::pair<std::string_view, Enum>>& names, About about) {
    std::vector<std::string_view> words;
    int chosen = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      words.push_back(names[i].first);
      if (names[i].second == value) chosen = static_cast<int>(i);
    }
    choice_index(key, chosen, words, about);
    value = names[static_cast<size_t>(chosen)].second;
  }

  template <class T>
  void object(std::string_view key, T& value, About about) {
    Fields inner;
    if (!enter(key, about, inner)) return;
    describe(inner, value);
    leave(key, inner);
  }

  /// An object that may be absent.
  template <class T>
  void object(std::string_view key, std::optional<T>& value, About about) {
    Fields inner;
    if (mode_ == Mode::Write && !value) return;
    if (!enter(key, about, inner)) return;
    if (!value) value.emplace();
    describe(inner, *value);
    if (mode_ == Mode::Schema) value.reset();
    leave(key, inner);
  }

  template <class T>
  void list(std::string_view key, std::vector<T>& values, About about) {
    if (mode_ == Mode::Schema) values.assign(1, T());
    const size_t count = begin_list(key, values.size(), about);
    if (mode_ == Mode::Read && count != kAbsent) values.clear();
    for (size_t i = 0; count != kAbsent && i < count; ++i) {
      Fields inner;
      if (!enter_item(key, i, inner)) return;
      if (mode_ == Mode::Read) values.emplace_back();  // one by one: most wrong lists end at their first item
      describe(inner, values[i]);
      leave_item(key, inner);
    }
    if (mode_ == Mode::Schema) values.clear();
  }

  /// While reading: whether the key is there. Otherwise true.
  bool has(std::string_view key) const;
  /// The key must be there: complains while reading, and says so in the schema.
  void require(std::string_view key);
  /// While reading: complains about the key (or the object itself, for an empty key).
  void fail(std::string_view key, std::string_view what);
  bool reading() const { return mode_ == Mode::Read; }
  bool writing() const { return mode_ == Mode::Write; }
  bool failed() const { return error_ && !error_->empty(); }

  template <class T>
  static Result<void> read(const Json& json, std::string_view file, T& value);
  template <class T>
  static Json write(const T& value);
  template <class T>
  static Json schema();

 private:
  static constexpr size_t kAbsent = static_cast<size_t>(-1);

  /// Keys of a value: a time and its numbers each. A value without keys has one row, whose time means nothing.
  struct KeyRows {
    Between between;
    std::vector<std::vector<double>> rows;
    bool has_times = false;  // after reading
  };
  template <class T>
  static auto& part(T& value, size_t i) {
    if constexpr (std::is_arithmetic_v<std::remove_const_t<T>>) {
      (void)i;
      return value;
    } else {
      return value[static_cast<int>(i)];
    }
  }
  /// Whether rows were read.
  bool key_rows(std::string_view key, KeyRows& rows, bool are_keys, size_t count, Limits limits, About about);
  bool read_numbers(std::string_view key, const Json& json, size_t count, const Limits& limits, std::string_view unit, std::vector<double>& row);
  void read_keys(std::string_view key, const Json& json, KeyRows& rows, size_t count, const Limits& limits, std::string_view unit);
  static double six_decimals(float value);
  const Json* wanted(std::string_view key, Json::Kind kind);
  bool check_range(std::string_view key, double number, const Limits& limits, std::string_view unit);
  void note_schema(std::string_view key, Json schema, About about, Json standard);
  void choice_index(std::string_view key, int& chosen, const std::vector<std::string_view>& words, About about);
  bool enter(std::string_view key, About about, Fields& inner);
  void leave(std::string_view key, Fields& inner);
  size_t begin_list(std::string_view key, size_t count, About about);
  bool enter_item(std::string_view key, size_t index, Fields& inner);
  void leave_item(std::string_view key, Fields& inner);
  void finish();  // reports unknown keys

  Mode mode_ = Mode::Read;
  const Json* source_ = nullptr;  // Read
  Json out_;                      // Write: the object; Schema: its schema
  std::string pointer_;           // Read: JSON pointer of the object
  std::string_view file_;
  std::string* error_ = nullptr;  // the first complaint of the whole document
  std::vector<std::string> known_;
};

template <class T>
Result<void> Fields::read(const Json& json, std::string_view file, T& value) {
  std::string error;
  Fields fields;
  fields.source_ = &json, fields.file_ = file, fields.error_ = &error;
  if (!json.is_object()) fields.fail("", "expected an object");
  if (error.empty()) describe(fields, value);
  if (error.empty()) fields.finish();
  if (!error.empty()) return input_error(error);
  return {};
}

template <class T>
Json Fields::write(const T& value) {
  Fields fields;
  fields.mode_ = Mode::Write;
  fields.out_ = Json::object();
  T copy = value;
  describe(fields, copy);
  return std::move(fields.out_);
}

template <class T>
Json Fields::schema() {
  Fields fields;
  fields.mode_ = Mode::Schema;
  fields.out_ = Json::object({{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}});
  T value;
  describe(fields, value);
  return std::move(fields.out_);
}

}  // namespace crumple
