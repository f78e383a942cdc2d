#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crumple/core/result.h"

namespace crumple {

/// A JSON value that remembers its line, so that every complaint can name it. Objects keep the order of their keys.
struct Json {
  enum class Kind { Null, Boolean, Number, Text, Array, Object };

  Kind kind = Kind::Null;
  int line = 0;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<Json> items;                            // of an array
  std::vector<std::pair<std::string, Json>> members;  // of an object

  Json() = default;
  Json(bool value) : kind(Kind::Boolean), boolean(value) {}                           // NOLINT
  Json(double value) : kind(Kind::Number), number(value) {}                           // NOLINT
  Json(int value) : kind(Kind::Number), number(value) {}                              // NOLINT
  Json(size_t value) : kind(Kind::Number), number(static_cast<double>(value)) {}      // NOLINT
  Json(std::string value) : kind(Kind::Text), text(std::move(value)) {}               // NOLINT
  Json(const char* value) : kind(Kind::Text), text(value) {}                          // NOLINT
  static Json array(std::vector<Json> values = {});
  static Json object(std::vector<std::pair<std::string, Json>> values = {});

  bool is_null() const { return kind == Kind::Null; }
  bool is_number() const { return kind == Kind::Number; }
  bool is_text() const { return kind == Kind::Text; }
  bool is_array() const { return kind == Kind::Array; }
  bool is_object() const { return kind == Kind::Object; }

  /// The member of that name, or nullptr.
  const Json* find(std::string_view key) const;
  /// The member of that name if it is a whole number that an int can hold.
  int whole(std::string_view key, int otherwise) const;
  Json* find(std::string_view key);
  /// The member of that name, made if it is missing.
  Json& operator[](std::string_view key);
  void push(Json value) { items.push_back(std::move(value)); }
};

/// "a number", "an object", ... for messages.
std::string_view kind_name(Json::Kind kind);

enum class JsonDialect {
  Strict,   ///< RFC 8259
  Relaxed,  ///< also // and /* */ comments and trailing commas
  Foreign,  ///< also raw newlines in strings and anything after the root value, as jsoncpp reads it
};

/// `file` is named in errors. Depth is limited, so hostile input cannot exhaust the stack.
Result<Json> parse_json(std::string_view text, std::string_view file, JsonDialect dialect = JsonDialect::Relaxed);

enum class JsonNumbers {
  Plain,     ///< whole numbers without an exponent, as every reader takes them for whole
  Shortest,  ///< 300000 as 3e+05: for hashes of texts, which must stay what they were
};

/// Shortest decimals that read back to the same numbers. `indent` 0 writes one line; short arrays of numbers stay on one line.
std::string write_json(const Json& value, int indent = 2, JsonNumbers numbers = JsonNumbers::Plain);

}  // namespace crumple
