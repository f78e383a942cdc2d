#include "apps/cli/section_request.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace crumple::cli {
namespace {

constexpr double kMega = 1e6;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == at)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// Numbers with x between them.
Result<std::vector<double>> parse_sizes(const char* option, const std::string& text, size_t count, const char* such_as) {
  std::vector<double> sizes;
  for (const std::string& word : split(text, 'x')) {
    const std::optional<double> size = parse_number(word);
    if (!size) return input_error(fmt::format("{} {}: \"{}\" is not a number; give metres, such as {}", option, text, word, such_as));
    sizes.push_back(*size);
  }
  if (sizes.size() == count) return sizes;
  return input_error(fmt::format("{} {}: expected {} size{}, such as {}", option, text, count, count == 1 ? "" : "s", such_as));
}

struct ShapeOption {
  const char* name;
  const std::optional<std::string> SectionRequest::*text;
  size_t count;
  const char* such_as;
  Section (*make)(const std::vector<double>&);
};

constexpr ShapeOption kShapes[] = {
    {"--rect", &SectionRequest::rect, 2, "0.01x0.02 (width, height)", [](const std::vector<double>& s) { return rectangle_section(s[0], s[1]); }},
    {"--circle", &SectionRequest::circle, 1, "0.05 (diameter)", [](const std::vector<double>& s) { return circle_section(s[0]); }},
    {"--tube", &SectionRequest::tube, 2, "0.1x0.005 (diameter, wall)", [](const std::vector<double>& s) { return tube_section(s[0], s[1]); }},
    {"--i", &SectionRequest::i, 4, "0.2x0.1x0.0056x0.0085 (height, width, web, flange)",
     [](const std::vector<double>& s) { return i_section(s[0], s[1], s[2], s[3]); }},
};

/// A yield stress in MPa, as Pa. Steel grades may be written as they are named: S235.
Result<double> parse_yield(const char* option, const std::string& text, double standard = 0) {
  if (text.empty() && standard > 0) return standard;
  const bool grade = std::string_view(option) == "--steel" && (text.starts_with('S') || text.starts_with('s'));
  const std::optional<double> yield = parse_number(grade ? text.substr(1) : text);
  if (yield) return *yield * kMega;
  return input_error(fmt::format("{} {}: \"{}\" is not a yield stress; give MPa, such as 200{}", option, text, text, grade ? " or S235" : ""));
}

Result<SolidMaterial> parse_concrete(const std::string& text) {
  const std::vector<std::string> words = split(text, ':');
  const std::optional<double> yield = parse_number(words[0]), share = words.size() == 2 ? parse_number(words[1]) : std::nullopt;
  if (yield && share) return reinforced_concrete(*yield * kMega, *share);
  return input_error(fmt::format("--concrete {}: give the yield stress of the steel in MPa and its share of the section, such as 500:0.01", text));
}

/// KEY=VALUE,KEY=VALUE as an object, which is then read as one of a scene would be.
Result<Json> parse_pairs(const std::string& text) {
  Json object = Json::object();
  for (const std::string& pair : split(text, ',')) {
    const size_t at = pair.find('=');
    const std::string key = pair.substr(0, at);
    if (at == std::string::npos || key.empty()) {
      return input_error(
          fmt::format("--material {}: \"{}\" is not KEY=VALUE; give numbers, such as E=200e9,yield=300e6, or name a material with "
                      "--steel, --concrete, --aluminium or --wood",
                      text, pair));
    }
    if (object.find(key)) return input_error(fmt::format("--material {}: {} is given twice", text, key));
    const std::optional<double> number = parse_number(pair.substr(at + 1));
    if (number && !std::isfinite(*number)) return input_error(fmt::format("--material {}: {} is not a finite number", text, key));
    object[key] = number ? Json(*number) : Json(pair.substr(at + 1));
  }
  return object;
}

Result<SolidMaterial> parse_material(const std::string& text) {
  const Result<Json> pairs = parse_pairs(text);
  if (!pairs) return pairs.error();
  SolidMaterial material;
  material.name = "material";
  if (Result<void> read = Fields::read(*pairs, "--material", material); !read) return read.error();
  return material;
}

Result<SolidMaterial> named_material(const SectionRequest& request) {
  if (request.concrete) return parse_concrete(*request.concrete);
  if (request.material) return parse_material(*request.material);
  const Result<double> yield = request.steel       ? parse_yield("--steel", *request.steel)
                               : request.aluminium ? parse_yield("--aluminium", *request.aluminium, kAluminiumYield)
                                                   : parse_yield("--wood", *request.wood, kWoodYield);
  if (!yield) return yield.error();
  return request.steel ? steel(*yield) : request.aluminium ? aluminium(*yield) : wood(*yield);
}

Result<void> apply_rule(const SectionRequest& request, SolidMaterial& material) {
  if (!request.tresca && !request.von_mises) return {};
  if (request.tresca && request.von_mises) return input_error("--tresca and --von-mises: give one of them");
  const char* flag = request.tresca ? "--tresca" : "--von-mises";
  if (material.given_shear_yield) return input_error(fmt::format("{}: the shear yield stress of this {} is given by itself", flag, material.name));
  material.shear_rule = request.tresca ? ShearRule::Tresca : ShearRule::VonMises;
  return {};
}

}  // namespace

Result<Section> requested_section(const SectionRequest& request) {
  const ShapeOption* chosen = nullptr;
  for (const ShapeOption& shape : kShapes) {
    if (!(request.*shape.text)) continue;
    if (chosen) return input_error(fmt::format("{} and {}: give one section", chosen->name, shape.name));
    chosen = &shape;
  }
  if (!chosen) return input_error("which section? Give --rect, --circle, --tube or --i");
  const Result<std::vector<double>> sizes = parse_sizes(chosen->name, *(request.*chosen->text), chosen->count, chosen->such_as);
  if (!sizes) return sizes.error();
  const Section section = chosen->make(*sizes);
  if (Result<void> fine = check_section(section); !fine) return fine.error();
  return section;
}

Result<SolidMaterial> requested_material(const SectionRequest& request) {
  const int given = request.steel.has_value() + request.concrete.has_value() + request.aluminium.has_value() + request.wood.has_value() +
                    request.material.has_value();
  if (given == 0) return input_error("which material? Give --steel, --concrete, --aluminium, --wood or --material");
  if (given > 1) return input_error("give one material, not several");
  Result<SolidMaterial> material = named_material(request);
  if (!material) return material;
  if (Result<void> fine = apply_rule(request, *material); !fine) return fine.error();
  if (Result<void> fine = check_material(*material); !fine) return fine.error();
  return material;
}

Result<std::optional<double>> requested_length(const SectionRequest& request) {
  if (!request.length) return std::optional<double>();
  const std::optional<double> length = parse_number(*request.length);
  if (length && *length >= 1e-9 && *length <= 1e6) return length;  // false for what is not a number, too
  return input_error(fmt::format("--length {}: expected metres between 1e-9 and 1e6", *request.length));
}

}  // namespace crumple::cli
