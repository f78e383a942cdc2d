#include "crumple/scene/changes.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "crumple/core/suggest.h"

namespace crumple {
namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t at = 1; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

std::string name_of(const Json& item) {
  const Json* name = item.find("name");
  return name && name->is_text() ? name->text : "";
}

/// Replaces a body that has places by one body for each place, if one of them would be called `wanted`.
bool write_out_places(Json& bodies, const std::string& wanted) {
  for (size_t i = 0; i < bodies.items.size(); ++i) {
    const Json* places = bodies.items[i].find("places");
    if (!places || !places->is_array()) continue;
    std::vector<Json> copies;
    bool found = false;
    for (size_t k = 0; k < places->items.size(); ++k) {
      if (!places->items[k].is_object()) return false;
      Json copy = bodies.items[i];
      std::erase_if(copy.members, [](const auto& member) { return member.first == "places"; });
      copy["name"] = fmt::format("{} {}", name_of(bodies.items[i]), k + 1);
      if (places->items[k].find("turn")) std::erase_if(copy.members, [](const auto& member) { return member.first == "quaternion"; });
      for (const auto& [key, value] : places->items[k].members) copy[key] = value;
      found = found || name_of(copy) == wanted;
      copies.push_back(std::move(copy));
    }
    if (!found) continue;
    bodies.items.erase(bodies.items.begin() + static_cast<long>(i));
    bodies.items.insert(bodies.items.begin() + static_cast<long>(i), copies.begin(), copies.end());
    return true;
  }
  return false;
}

Json* find_item(Json& list, const std::string& part) {
  for (Json& item : list.items) {
    if (item.is_object() && name_of(item) == part) return &item;
  }
  size_t index = 0;
  const auto [end, trouble] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool is_index = trouble == std::errc() && end == part.data() + part.size();
  return is_index && index < list.items.size() ? &list.items[index] : nullptr;
}

/// Complaints name the line of the value that was replaced; what is new has none.
void set_line(Json& value, int line) {
  value.line = line;
  for (Json& item : value.items) set_line(item, line);
  for (auto& [key, member] : value.members) set_line(member, line);
}

}  // namespace

Result<void> apply_change(Json& document, const std::string& change) {
  const size_t equals = change.find('=');
  if (change.empty() || change[0] != '/' || equals == std::string::npos || equals < 2) {
    return input_error(fmt::format("--set {}: expected a path and a value, such as '/bodies/drum 1/examples/yield=2'", change));
  }
  const std::vector<std::string> parts = split_path(std::string_view(change).substr(0, equals));
  const std::string text = change.substr(equals + 1);
  Result<Json> parsed = parse_json(text, "--set");
  Json value = parsed ? *parsed : Json(text);  // an unquoted word is a text

  Json* at = &document;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (at->is_array()) {
      Json* item = find_item(*at, part);
      if (!item && i == 1 && parts[0] == "bodies" && write_out_places(*at, part)) item = find_item(*at, part);
      if (!item) {
        std::vector<std::string> names;
        for (const Json& other : at->items) names.push_back(name_of(other));
        return input_error(fmt::format("--set {}: there is no \"{}\"{}", change, part, suggestion(part, names)));
      }
      at = item;
    } else if (at->is_object()) {
      at = &(*at)[part];
      if (i + 1 < parts.size() && at->is_null()) *at = Json::object();
    } else {
      return input_error(fmt::format("--set {}: \"{}\" has nothing inside to set", change, i == 0 ? "/" : parts[i - 1]));
    }
  }
  set_line(value, at->line);
  *at = std::move(value);
  return {};
}

}  // namespace crumple
