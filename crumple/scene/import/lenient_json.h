#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/json.h"
#include "crumple/math/types.h"

namespace crumple {

/// Reads keys of an object in an imported scene, with a default for absent ones. The first error, with its line, is kept in `error`; unread keys
/// can be listed.
class LenientJson {
 public:
  LenientJson(const Json& json, std::string where, std::string& error) : json_(json), where_(std::move(where)), error_(error) {}

  double number(std::string_view key, double otherwise) {
    const Json* value = find(key, Json::Kind::Number);
    return value ? value->number : otherwise;
  }
  /// Complains about what lies outside [low, high].
  double number(std::string_view key, double otherwise, double low, double high) {
    const Json* value = find(key, Json::Kind::Number);
    if (!value) return otherwise;
    if (value->number >= low && value->number <= high) return value->number;
    complain(key, std::isfinite(high) ? fmt::format("must be between {} and {}", low, high) : fmt::format("must be at least {}", low));
    return otherwise;
  }
  bool flag(std::string_view key, bool otherwise) {
    const Json* value = find(key, Json::Kind::Boolean);
    return value ? value->boolean : otherwise;
  }
  std::string text(std::string_view key) {
    const Json* value = find(key, Json::Kind::Text);
    return value ? value->text : "";
  }
  std::optional<std::vector<double>> numbers(std::string_view key, size_t count) {
    const Json* value = find(key, Json::Kind::Array);
    if (!value) return {};
    std::vector<double> list;
    for (const Json& item : value->items) {
      if (!item.is_number()) return complain(key, "expected numbers"), std::nullopt;
      if (!(std::abs(item.number) <= 1e9)) return complain(key, "has a number that is too large"), std::nullopt;
      list.push_back(item.number);
    }
    if (count > 0 && list.size() != count) return complain(key, fmt::format("expected {} numbers", count)), std::nullopt;
    return list;
  }
  Vec3 vector(std::string_view key, const Vec3& otherwise = Vec3::Zero()) {
    const auto list = numbers(key, 3);
    return list ? Vec3((*list)[0], (*list)[1], (*list)[2]) : otherwise;
  }
  /// The elements of a list; none if the key is absent.
  const std::vector<Json>& list(std::string_view key) {
    static const std::vector<Json> kNone;
    const Json* value = find(key, Json::Kind::Array);
    return value ? value->items : kNone;
  }
  bool has(std::string_view key) const { return json_.find(key) != nullptr; }
  const Json* get(std::string_view key) {
    known_.emplace_back(key);
    return json_.find(key);
  }
  void complain(std::string_view key, std::string_view what) {
    const Json* at = json_.find(key);
    if (error_.empty()) error_ = fmt::format("{}:{}: {}", where_, at ? at->line : json_.line, fmt::format("\"{}\": {}", key, what));
  }
  std::vector<std::string> unknown_keys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : json_.members) {
      bool known = false;
      for (const std::string& asked : known_) known = known || asked == key;
      if (!known) keys.push_back(key);
    }
    return keys;
  }

 private:
  const Json* find(std::string_view key, Json::Kind kind) {
    const Json* value = get(key);
    if (!value || value->kind == kind) return value;
    complain(key, fmt::format("expected {}, not {}", kind_name(kind), kind_name(value->kind)));
    return nullptr;
  }
  const Json& json_;
  std::string where_;
  std::string& error_;
  std::vector<std::string> known_;
};

}  // namespace crumple
