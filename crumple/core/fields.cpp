#include "crumple/core/fields.h"
#include "crumple/core/suggest.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace crumple {
namespace {

/// RFC 6901: '~' and '/' inside keys are escaped.
std::string pointer_part(std::string_view key) {
  std::string part;
  for (const char c : key) part += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return part;
}

constexpr size_t kLongestList = 100'000;
constexpr double kLargest = 1e12;  // nothing real is larger, and squares and products of such numbers stay finite

std::string limits_text(const Limits& limits, std::string_view unit) {
  const std::string space_unit = unit.empty() ? "" : fmt::format(" {}", unit);
  if (limits.low == limits.high) return fmt::format("{}{}", limits.low, space_unit);
  if (std::isfinite(limits.low) && std::isfinite(limits.high)) return fmt::format("between {} and {}{}", limits.low, limits.high, space_unit);
  if (std::isfinite(limits.high)) return fmt::format("at most {}{}", limits.high, space_unit);
  return fmt::format("{} {}{}", limits.above ? "more than" : "at least", limits.low, space_unit);
}

Json numbers_json(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push(value);
  return array;
}

Json number_schema(const Limits& limits, std::string_view type) {
  Json schema = Json::object({{"type", std::string(type)}});
  if (std::isfinite(limits.low)) schema[limits.above ? "exclusiveMinimum" : "minimum"] = limits.low;
  if (std::isfinite(limits.high)) schema["maximum"] = limits.high;
  return schema;
}

Json tuple_schema(size_t count) {
  Json schema = Json::object({{"type", "array"}, {"items", Json::object({{"type", "number"}})}});
  if (count > 0) schema["minItems"] = count, schema["maxItems"] = count;
  return schema;
}

}  // namespace

void Fields::fail(std::string_view key, std::string_view what) {
  if (!reading() || failed()) return;
  const Json* at = key.empty() ? source_ : source_->find(key);
  const int line = at ? at->line : source_->line;
  const std::string pointer = key.empty() ? pointer_ : fmt::format("{}/{}", pointer_, pointer_part(key));
  const std::string where = line > 0 ? fmt::format("{}:{}", file_, line) : std::string(file_);  // what was not read has no lines
  *error_ = fmt::format("{}: {}: {}", where, pointer.empty() ? "/" : pointer, what);
}

bool Fields::has(std::string_view key) const {
  return !reading() || source_->find(key) != nullptr;
}

void Fields::require(std::string_view key) {
  if (mode_ == Mode::Schema) {
    Json& required = out_["required"];
    if (!required.is_array()) required = Json::array();
    required.push(std::string(key));
  }
  if (!has(key)) fail("", fmt::format("\"{}\" is missing", key));
}

const Json* Fields::wanted(std::string_view key, Json::Kind kind) {
  known_.emplace_back(key);
  if (failed()) return nullptr;
  const Json* value = source_->find(key);
  if (!value) return nullptr;
  if (value->kind == kind) return value;
  fail(key, fmt::format("expected {}, not {}", kind_name(kind), kind_name(value->kind)));
  return nullptr;
}

bool Fields::check_range(std::string_view key, double number, const Limits& limits, std::string_view unit) {
  if (!(std::abs(number) <= kLargest) && !std::isfinite(limits.high)) return fail(key, fmt::format("{} is too large; nothing may be above {:g}", number, kLargest)), false;
  if (std::isfinite(number) && number <= limits.high && (limits.above ? number > limits.low : number >= limits.low)) return true;
  fail(key, fmt::format("{} is out of range; it must be {}", number, limits_text(limits, unit)));
  return false;
}

void Fields::note_schema(std::string_view key, Json schema, About about, Json standard) {
  std::string help(about.help);
  if (!about.unit.empty()) help += fmt::format(" [{}]", about.unit);
  schema["description"] = help;
  if (!standard.is_null()) schema["default"] = std::move(standard);
  out_["properties"][key] = std::move(schema);
}

void Fields::number(std::string_view key, double& value, Limits limits, About about) {
  if (mode_ == Mode::Write) out_[key] = value;
  if (mode_ == Mode::Schema) note_schema(key, number_schema(limits, "number"), about, value);
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Number);
  if (json && check_range(key, json->number, limits, about.unit)) value = json->number;
}

void Fields::number(std::string_view key, std::optional<double>& value, Limits limits, About about) {
  if (mode_ == Mode::Write && value) out_[key] = *value;
  if (mode_ == Mode::Schema) note_schema(key, number_schema(limits, "number"), about, {});
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Number);
  if (json && check_range(key, json->number, limits, about.unit)) value = json->number;
}

void Fields::integer(std::string_view key, int& value, Limits limits, About about) {
  if (mode_ == Mode::Write) out_[key] = value;
  if (mode_ == Mode::Schema) note_schema(key, number_schema(limits, "integer"), about, value);
  if (!reading()) return;
  limits.low = std::max(limits.low, -2147483647.0), limits.high = std::min(limits.high, 2147483647.0);
  const Json* json = wanted(key, Json::Kind::Number);
  if (!json) return;
  if (json->number != std::floor(json->number)) return fail(key, fmt::format("{} is not a whole number", json->number));
  if (check_range(key, json->number, limits, about.unit)) value = static_cast<int>(json->number);
}

void Fields::flag(std::string_view key, bool& value, About about) {
  if (mode_ == Mode::Write) out_[key] = value;
  if (mode_ == Mode::Schema) note_schema(key, Json::object({{"type", "boolean"}}), about, value);
  if (!reading()) return;
  if (const Json* json = wanted(key, Json::Kind::Boolean)) value = json->boolean;
}

void Fields::flag_unless(std::string_view key, bool usual, bool& value, About about) {
  if (mode_ != Mode::Write || value != usual) flag(key, value, about);
}

void Fields::number_unless(std::string_view key, double usual, double& value, Limits limits, About about) {
  if (mode_ != Mode::Write || value != usual) number(key, value, limits, about);
}

void Fields::text(std::string_view key, std::string& value, About about) {
  if (mode_ == Mode::Write && !value.empty()) out_[key] = value;
  if (mode_ == Mode::Schema) note_schema(key, Json::object({{"type", "string"}}), about, value.empty() ? Json() : Json(value));
  if (!reading()) return;
  if (const Json* json = wanted(key, Json::Kind::Text)) value = json->text;
}

void Fields::numbers(std::string_view key, std::optional<std::vector<double>>& value, size_t count, About about) {
  if (mode_ == Mode::Write && value) out_[key] = numbers_json(*value);
  if (mode_ == Mode::Schema) note_schema(key, tuple_schema(count), about, value ? numbers_json(*value) : Json());
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Array);
  if (!json) return;
  const bool all_numbers = std::all_of(json->items.begin(), json->items.end(), [](const Json& item) { return item.is_number(); });
  if (!all_numbers || (count > 0 && json->items.size() != count)) {
    return fail(key, count > 0 ? fmt::format("expected {} numbers", count) : "expected an array of numbers");
  }
  value.emplace();
  for (const Json& item : json->items) {
    if (check_range(key, item.number, between(-1e9, 1e9), about.unit)) value->push_back(item.number);
  }
  if (failed()) value.reset();
}

namespace {

constexpr std::pair<std::string_view, Between> kBetween[] = {{"linear", Between::Linear}, {"smooth", Between::Smooth}, {"step", Between::Step}};
constexpr size_t kMostKeys = 10'000;

/// A number, or the numbers of a vector, after the time of a row.
Json value_json(const std::vector<double>& row) {
  return row.size() == 2 ? Json(row[1]) : numbers_json({row.begin() + 1, row.end()});
}

Json keys_schema(const Json& value) {
  Json words = Json::array();
  for (const auto& [word, between] : kBetween) words.push(std::string(word));
  const Json key = Json::object({{"type", "array"}, {"prefixItems", Json::array({Json::object({{"type", "number"}}), value})}, {"minItems", 2}, {"maxItems", 2}});
  const Json keys = Json::object({{"type", "array"}, {"items", key}, {"minItems", 1}});
  return Json::object({{"type", "object"}, {"additionalProperties", false}, {"required", Json::array({Json("keys")})},
                       {"properties", Json::object({{"keys", keys}, {"between", Json::object({{"enum", words}})}})}});
}

}  // namespace

bool Fields::read_numbers(std::string_view key, const Json& json, size_t count, const Limits& limits, std::string_view unit, std::vector<double>& row) {
  const std::vector<Json> one = {json};
  const std::vector<Json>& items = count == 1 ? one : json.items;
  const bool fits = (count == 1 || json.is_array()) && items.size() == count && std::all_of(items.begin(), items.end(), [](const Json& item) { return item.is_number(); });
  if (!fits) return fail(key, fmt::format("expected {} or {{\"keys\": [[time, value], ...]}}", count == 1 ? "a number" : fmt::format("{} numbers", count))), false;
  for (const Json& item : items) {
    if (!check_range(key, item.number, count == 1 ? limits : crumple::between(-1e9, 1e9), unit)) return false;
    row.push_back(item.number);
  }
  return true;
}

void Fields::read_keys(std::string_view key, const Json& json, KeyRows& rows, size_t count, const Limits& limits, std::string_view unit) {
  for (const auto& [name, value] : json.members) {
    if (name != "keys" && name != "between") return fail(key, fmt::format("unknown key \"{}\"; expected \"keys\" and \"between\"", name));
  }
  const Json *keys = json.find("keys"), *between = json.find("between");
  if (!keys || !keys->is_array() || keys->items.empty()) return fail(key, "\"keys\" must be a list of [time, value]");
  if (keys->items.size() > kMostKeys) return fail(key, fmt::format("has {} keys; there may be at most {}", keys->items.size(), kMostKeys));
  for (const Json& item : keys->items) {
    if (!item.is_array() || item.items.size() != 2 || !item.items[0].is_number()) return fail(key, "each key must be [time, value]");
    const double time = item.items[0].number;
    if (!rows.rows.empty() && time <= rows.rows.back()[0]) return fail(key, fmt::format("the times of keys must ascend; {} follows {}", time, rows.rows.back()[0]));
    rows.rows.push_back({time});
    if (!read_numbers(key, item.items[1], count, limits, unit, rows.rows.back())) return;
  }
  rows.has_times = true, rows.between = Between::Linear;
  if (!between) return;
  std::vector<std::string> words;
  for (const auto& [word, how] : kBetween) {
    words.emplace_back(word);
    if (between->is_text() && between->text == word) return void(rows.between = how);
  }
  fail(key, fmt::format("\"between\" must be \"linear\", \"smooth\" or \"step\"{}", between->is_text() ? suggestion(between->text, words) : ""));
}

bool Fields::key_rows(std::string_view key, KeyRows& rows, bool are_keys, size_t count, Limits limits, About about) {
  if (mode_ == Mode::Write && !are_keys) out_[key] = value_json(rows.rows.front());
  if (mode_ == Mode::Write && are_keys) {
    Json keys = Json::array();
    for (const std::vector<double>& row : rows.rows) keys.push(Json::array({Json(row[0]), value_json(row)}));
    const auto is_used = [&](const auto& named) { return named.second == rows.between; };
    out_[key] = Json::object({{"keys", std::move(keys)}, {"between", std::string(std::find_if(std::begin(kBetween), std::end(kBetween), is_used)->first)}});
  }
  if (mode_ == Mode::Schema) {
    const Json value = count == 1 ? number_schema(limits, "number") : tuple_schema(count);
    note_schema(key, Json::object({{"anyOf", Json::array({value, keys_schema(value)})}}), about, value_json(rows.rows.front()));
  }
  if (!reading()) return false;
  known_.emplace_back(key);
  const Json* json = failed() ? nullptr : source_->find(key);
  if (!json) return false;
  rows.rows.clear();
  if (json->is_object()) {
    read_keys(key, *json, rows, count, limits, about.unit);
  } else {
    read_numbers(key, *json, count, limits, about.unit, rows.rows.emplace_back(1, 0.0));
  }
  return !failed();
}

double Fields::six_decimals(float value) {
  return std::round(static_cast<double>(value) * 1e6) / 1e6;
}

void Fields::skipped(std::string_view key, About about) {
  if (mode_ == Mode::Schema) note_schema(key, Json::object({{"type", "object"}}), about, {});
  if (reading()) (void)wanted(key, Json::Kind::Object);
}

void Fields::texts(std::string_view key, std::vector<std::string>& value, About about) {
  if (mode_ == Mode::Write && !value.empty()) {
    Json array = Json::array();
    for (const std::string& text : value) array.push(text);
    out_[key] = std::move(array);
  }
  if (mode_ == Mode::Schema) note_schema(key, Json::object({{"type", "array"}, {"items", Json::object({{"type", "string"}})}}), about, {});
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Array);
  if (!json) return;
  for (const Json& item : json->items) {
    if (!item.is_text()) return fail(key, "expected an array of texts");
    value.push_back(item.text);
  }
}

void Fields::texts(std::string_view key, std::map<std::string, std::string>& value, About about) {
  if (mode_ == Mode::Write && !value.empty()) {
    Json object = Json::object();
    for (const auto& [name, text] : value) object[name] = text;
    out_[key] = std::move(object);
  }
  if (mode_ == Mode::Schema) {
    note_schema(key, Json::object({{"type", "object"}, {"additionalProperties", Json::object({{"type", "string"}})}}), about, {});
  }
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Object);
  if (!json) return;
  for (const auto& [name, item] : json->members) {
    if (!item.is_text()) return fail(key, fmt::format("\"{}\" must be a text", name));
    value[name] = item.text;
  }
}

void Fields::choice_index(std::string_view key, int& chosen, const std::vector<std::string_view>& words, About about) {
  const std::string current(words[static_cast<size_t>(chosen)]);
  if (mode_ == Mode::Write) out_[key] = current;
  if (mode_ == Mode::Schema) {
    Json options = Json::array();
    for (const std::string_view word : words) options.push(std::string(word));
    note_schema(key, Json::object({{"enum", options}}), about, current);
  }
  if (!reading()) return;
  const Json* json = wanted(key, Json::Kind::Text);
  if (!json) return;
  std::string options;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == json->text) {
      chosen = static_cast<int>(i);
      return;
    }
    options += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  }
  fail(key, fmt::format("unknown word \"{}\"; expected {}", json->text, options));
}

bool Fields::enter(std::string_view key, About about, Fields& inner) {
  inner.mode_ = mode_;
  if (mode_ == Mode::Write) inner.out_ = Json::object();
  if (mode_ == Mode::Schema) {
    note_schema(key, Json::object({{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}}), about, {});
    inner.out_ = out_["properties"][key];
  }
  if (!reading()) return true;
  const Json* json = wanted(key, Json::Kind::Object);
  if (!json) return false;
  inner.source_ = json, inner.file_ = file_, inner.error_ = error_;
  inner.pointer_ = fmt::format("{}/{}", pointer_, pointer_part(key));
  return true;
}

void Fields::leave(std::string_view key, Fields& inner) {
  if (mode_ == Mode::Write) out_[key] = std::move(inner.out_);
  if (mode_ == Mode::Schema) out_["properties"][key] = std::move(inner.out_);
  if (reading()) inner.finish();
}

size_t Fields::begin_list(std::string_view key, size_t count, About about) {
  if (mode_ == Mode::Write && count > 0) out_[key] = Json::array();
  if (mode_ == Mode::Schema) note_schema(key, Json::object({{"type", "array"}, {"items", Json::object()}}), about, {});
  if (!reading()) return count;
  const Json* json = wanted(key, Json::Kind::Array);
  if (json && json->items.size() > kLongestList) {
    fail(key, fmt::format("has {} items; there may be at most {}", json->items.size(), kLongestList));
    return kAbsent;
  }
  return json ? json->items.size() : kAbsent;
}

bool Fields::enter_item(std::string_view key, size_t index, Fields& inner) {
  inner.mode_ = mode_;
  if (mode_ == Mode::Write) inner.out_ = Json::object();
  if (mode_ == Mode::Schema) inner.out_ = Json::object({{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}});
  if (!reading()) return true;
  if (failed()) return false;
  const Json& item = source_->find(key)->items[index];
  inner.source_ = &item, inner.file_ = file_, inner.error_ = error_;
  inner.pointer_ = fmt::format("{}/{}/{}", pointer_, pointer_part(key), index);
  if (!item.is_object()) inner.fail("", fmt::format("expected an object, not {}", kind_name(item.kind)));
  return !failed();
}

void Fields::leave_item(std::string_view key, Fields& inner) {
  if (mode_ == Mode::Write) out_[key].push(std::move(inner.out_));
  if (mode_ == Mode::Schema) out_["properties"][key]["items"] = std::move(inner.out_);
  if (reading()) inner.finish();
}

void Fields::finish() {
  for (const auto& [key, value] : source_->members) {
    if (failed() || std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    fail(key, "unknown key" + suggestion(key, known_));
  }
}

}  // namespace crumple
