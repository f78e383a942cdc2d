#include "crumple/scene/presets.h"

#include <algorithm>

#include <fmt/format.h>

#include "crumple/core/suggest.h"
#include "crumple/methods/list.h"

namespace crumple {
namespace {

struct BodyValues {
  std::string_view name, help, values;
};

/// Values of bodies, whatever they are made of. Those of methods stand in methods/<method>/presets.h. Friction and restitution of two bodies in
/// contact are multiplied, so they are the roots of what is measured between two pieces of the same stuff.
constexpr BodyValues kBodies[] = {
    {"steel drum", "empty drum for oil; the density is that of the whole, air included",
     R"({"density": 120, "material": {"friction": 0.65, "restitution": 0.35, "rolling_friction": 0.01}})"},
    {"container", "empty freight container, air included", R"({"density": 70, "material": {"friction": 0.65, "restitution": 0.1}})"},
    {"car body", "car, air included", R"({"density": 170, "material": {"friction": 0.6, "restitution": 0.2}})"},
    {"tin can", "empty can, air included", R"({"density": 120, "material": {"friction": 0.6, "restitution": 0.4, "rolling_friction": 0.01}})"},
    {"sheet metal", "steel, thin and soft", R"({"density": 7850, "material": {"friction": 0.65, "restitution": 0.4}})"},
    {"steel", "structural steel, S235", R"({"density": 7850, "material": {"friction": 0.7, "restitution": 0.7}})"},
    {"aluminium", "alloy 6082-T6", R"({"density": 2700, "material": {"friction": 0.65, "restitution": 0.6}})"},
    {"hot metal", "forging heat", R"({"density": 7500, "material": {"friction": 0.7, "restitution": 0.05}})"},
    {"wood", "softwood, C24", R"({"density": 450, "material": {"friction": 0.7, "restitution": 0.6}})"},
    {"cardboard", "box of corrugated cardboard, air included", R"({"density": 40, "material": {"friction": 0.7, "restitution": 0.2}})"},
    {"concrete", "without steel", R"({"density": 2400, "material": {"friction": 0.8, "restitution": 0.4}})"},
    {"reinforced concrete", "2 % of steel", R"({"density": 2500, "material": {"friction": 0.8, "restitution": 0.3}})"},
    {"stone", "granite", R"({"density": 2700, "material": {"friction": 0.8, "restitution": 0.5}})"},
    {"glass", "window glass", R"({"density": 2500, "material": {"friction": 0.6, "restitution": 0.8}})"},
    {"ice", "at -5 degrees", R"({"density": 917, "material": {"friction": 0.2, "restitution": 0.5}})"},
    {"rubber", "natural rubber", R"({"density": 1100, "material": {"friction": 1, "restitution": 0.9, "rolling_friction": 0.01}})"},
    {"jelly", "dessert", R"({"density": 1050, "material": {"friction": 0.6, "restitution": 0.5}})"},
    {"clay", "potter's clay, wet", R"({"density": 1800, "material": {"friction": 0.9, "restitution": 0}})"},
    {"dough", "bread", R"({"density": 1150, "material": {"friction": 0.9, "restitution": 0}})"},
    {"gum", "chewed", R"({"density": 1100, "material": {"friction": 1, "restitution": 0.1}})"},
};

Json parsed(std::string_view text) {
  return *parse_json(text, "preset");  // a test reads them all
}

std::vector<Preset> made() {
  std::vector<Preset> all;
  for (const BodyValues& body : kBodies) all.push_back({body.name, body.help, parsed(body.values)});
  const MethodSettings methods;
  for_each_method(methods, [&](const auto& settings) {
    const MethodInfo& method = info_of(settings);
    for (const PresetValues& given : method.presets) {
      for (Preset& preset : all) {
        if (preset.name == given.preset) preset.values[method.key] = parsed(given.values);
      }
    }
  });
  return all;
}

const Preset* preset_named(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

/// Errors in or about a value that the file does not hold name the line that asked for it.
void put_on_line(Json& json, int line) {
  json.line = line;
  for (Json& item : json.items) put_on_line(item, line);
  for (auto& [key, value] : json.members) put_on_line(value, line);
}

/// A value into an object. Objects are merged: their members are `put` themselves, but no deeper, as sections and materials are meant as a whole.
void put(Json& into, const std::string& key, const Json& value, bool over, int depth) {
  Json* there = into.find(key);
  if (there && depth == 0 && there->is_object() && value.is_object()) {
    for (const auto& [inner, inner_value] : value.members) put(*there, inner, inner_value, over, depth + 1);
  } else if (!there || over) {
    into[key] = value;
    put_on_line(into[key], into.line);
  }
}

void put_values(Json& body, const Preset& preset, bool over) {
  const std::vector<std::string> methods = methods_of(preset);
  for (const auto& [key, value] : preset.values.members) {
    if (key == "density" && body.find("mass")) continue;
    const bool is_method = std::find(methods.begin(), methods.end(), key) != methods.end();
    if (!is_method || body.find(key)) put(body, key, value, over, 0);
  }
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kAll = made();
  return kAll;
}

std::vector<std::string> methods_of(const Preset& preset) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : preset.values.members) {
    if (key != "density" && key != "material") keys.push_back(key);
  }
  return keys;
}

Result<void> fill_presets(Json& document, std::string_view file) {
  Json* bodies = document.find("bodies");
  for (size_t i = 0; bodies && i < bodies->items.size(); ++i) {
    Json& body = bodies->items[i];
    const Json* name = body.find("preset");
    if (!name || !name->is_text() || name->text.empty()) continue;  // what is no text is found by the reader
    if (const Preset* preset = preset_named(name->text)) {
      put_values(body, *preset, false);
      continue;
    }
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
    const std::string where = name->line > 0 ? fmt::format("{}:{}", file, name->line) : std::string(file);
    return input_error(fmt::format("{}: /bodies/{}/preset: there is no preset \"{}\"{}", where, i, shortened(name->text),
                                   suggestion(name->text, names, "; 'crumple list presets' shows them")));
  }
  return {};
}

void override_by_preset(Json& body) {
  const Json* name = body.find("preset");
  const Preset* preset = name && name->is_text() ? preset_named(name->text) : nullptr;
  if (preset) put_values(body, *preset, true);
}

}  // namespace crumple
