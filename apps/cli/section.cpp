#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/cli/command.h"
#include "apps/cli/section_request.h"
#include "crumple/core/json.h"

namespace crumple::cli {
namespace {

/// How the numbers of a shape are made, as one reads them in a book. Forces and moments as in JointRows.
struct Formulas {
  const char *area, *second_1, *second_2, *torsion_constant;
  const char *axial, *shear_1, *shear_2, *torsion, *bending_1, *bending_2;
};

constexpr Formulas kFormulas[] = {
    {"b h", "b h^3 / 12", "b^3 h / 12", "Saint-Venant's series", "f_y b h", "tau b h", "tau b h", "tau s^2 (3 l - s) / 6, shorter side s, longer l",
     "f_y b h^2 / 4", "f_y b^2 h / 4"},
    {"pi R^2", "pi R^4 / 4", "pi R^4 / 4", "pi R^4 / 2", "f_y pi R^2", "tau pi R^2", "tau pi R^2", "tau 2/3 pi R^3", "f_y 4/3 R^3", "f_y 4/3 R^3"},
    {"pi (R^2 - r^2)", "pi (R^4 - r^4) / 4", "pi (R^4 - r^4) / 4", "pi (R^4 - r^4) / 2", "f_y pi (R^2 - r^2)", "tau 2 (R^2 - r^2), along the wall",
     "tau 2 (R^2 - r^2), along the wall", "tau 2/3 pi (R^3 - r^3)", "f_y 4/3 (R^3 - r^3)", "f_y 4/3 (R^3 - r^3)"},
    {"2 b t_f + h_w t_w", "t_w h_w^3 / 12 + b t_f^3 / 6 + b t_f (h - t_f)^2 / 2", "(2 t_f b^3 + h_w t_w^3) / 12",
     "Saint-Venant's series for each part", "f_y (2 b t_f + h_w t_w)", "tau 2 b t_f, the flanges", "tau h_w t_w, the web",
     "tau s^2 (3 l - s) / 6 for each part, shorter side s, longer l", "f_y (b t_f (h - t_f) + t_w h_w^2 / 4)", "f_y (t_f b^2 / 2 + h_w t_w^2 / 4)"},
};

const Formulas& formulas_of(const Section& section) {
  return kFormulas[static_cast<size_t>(section.shape)];
}

const char* shape_name(const Section& section) {
  static constexpr const char* kNames[] = {"rectangle", "circle", "tube", "I"};
  return kNames[static_cast<size_t>(section.shape)];
}

/// 20000 N as 20 kN.
std::string with_unit(double value, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  while (prefix < 4 && value >= 1000) value /= 1000, ++prefix;
  return fmt::format("{:.5g} {}{}", value, kPrefixes[prefix], unit);
}

struct Line {
  const char *symbol, *what;
  std::string value, formula;
};

void print_lines(const char* heading, const std::vector<Line>& lines) {
  print("\n{}\n", heading);
  for (const Line& line : lines) print("  {:<5} {:<22} {:<16} {}\n", line.symbol, line.what, line.value, line.formula);
}

std::string sizes_text(const Section& s) {
  switch (s.shape) {
    case SectionShape::Rectangle:
      return fmt::format("rectangle: width b = {:g} m, height h = {:g} m", s.width, s.height);
    case SectionShape::Circle:
      return fmt::format("circle: radius R = {:g} m", s.diameter / 2);
    case SectionShape::Tube:
      return fmt::format("tube: outer radius R = {:g} m, inner radius r = {:g} m", s.diameter / 2, s.diameter / 2 - s.wall);
    case SectionShape::I:
      break;
  }
  return fmt::format("I: height h = {:g} m, width b = {:g} m, web t_w = {:g} m and h_w = {:g} m high, flanges t_f = {:g} m", s.height, s.width, s.web,
                     s.height - 2 * s.flange, s.flange);
}

const char* rule_text(const SolidMaterial& material) {
  if (material.given_shear_yield) return "given";
  return material.shear_rule == ShearRule::Tresca ? "Tresca, f_y / 2" : "von Mises, f_y / sqrt(3)";
}

void print_material(const SolidMaterial& m) {
  print("{}: E = {}, G = {}, yield stress f_y = {}, in shear tau = {} ({})\n", m.name, with_unit(m.young, "Pa"),
             with_unit(shear_modulus(m), "Pa"), with_unit(m.yield, "Pa"), with_unit(shear_yield(m), "Pa"), rule_text(m));
}

void print_capacities(const Section& section, const JointRows& capacity) {
  const Formulas& by = formulas_of(section);
  print_lines("plastic capacities, each by itself", {{"N", "axial force", with_unit(capacity.axial, "N"), by.axial},
                                                     {"V1", "shear along 1", with_unit(capacity.shear_1, "N"), by.shear_1},
                                                     {"V2", "shear along 2", with_unit(capacity.shear_2, "N"), by.shear_2},
                                                     {"T", "torque about 0", with_unit(capacity.torsion, "N m"), by.torsion},
                                                     {"M1", "bending about 1", with_unit(capacity.bending_1, "N m"), by.bending_1},
                                                     {"M2", "bending about 2", with_unit(capacity.bending_2, "N m"), by.bending_2}});
  if (section.shape != SectionShape::Rectangle) return;
  const double ratio = polar_integral(section.width, section.height) / section_geometry(section).plastic_torsion;
  print("  (paper 5, eq. 2.14, integrates the distance instead: T = {}, {:.0f} % more than a bar that is not round can take)\n",
             with_unit(ratio * capacity.torsion, "N m"), 100 * (ratio - 1));
}

void print_geometry(const Section& section, const JointSection& joint) {
  const Formulas& by = formulas_of(section);
  const SectionGeometry& of = joint.geometry;
  const auto number = [](double value, const char* unit) { return fmt::format("{:.5g} {}", value, unit); };
  print_lines("section", {{"A", "area", number(of.area, "m^2"), by.area},
                          {"I1", "second moment about 1", number(of.second_moment_1, "m^4"), by.second_1},
                          {"I2", "second moment about 2", number(of.second_moment_2, "m^4"), by.second_2},
                          {"J", "torsion constant", number(of.torsion_constant, "m^4"), by.torsion_constant},
                          {"Z1", "plastic modulus", number(of.plastic_modulus_1, "m^3"), "M1 / f_y"},
                          {"Z2", "plastic modulus", number(of.plastic_modulus_2, "m^3"), "M2 / f_y"},
                          {"W", "plastic, of torsion", number(of.plastic_torsion, "m^3"), "T / tau"}});
  if (joint.mass > 0) print_lines("weight", {{"m", "mass", number(joint.mass, "kg/m"), "density A"}});
}

void print_rows(const char* heading, const JointRows& rows, bool divided, const char* E, const char* G, const SectionGeometry* of) {
  const char *force = divided ? "N/m" : "N", *moment = divided ? "N m/rad" : "N m^2";
  const std::string over = divided ? " / L" : "";
  const auto shear = [&](double share) {
    return of ? fmt::format("{} {:.4g} A{}", G, share, over) : fmt::format("{} times the area that yields{}", G, over);
  };
  print_lines(heading, {{"N", "axial", with_unit(rows.axial, force), fmt::format("{} A{}", E, over)},
                        {"V1", "shear along 1", with_unit(rows.shear_1, force), shear(of ? of->shear_share_1 : 0)},
                        {"V2", "shear along 2", with_unit(rows.shear_2, force), shear(of ? of->shear_share_2 : 0)},
                        {"T", "torsion about 0", with_unit(rows.torsion, moment), fmt::format("{} J{}", G, over)},
                        {"M1", "bending about 1", with_unit(rows.bending_1, moment), fmt::format("{} I1{}", E, over)},
                        {"M2", "bending about 2", with_unit(rows.bending_2, moment), fmt::format("{} I2{}", E, over)}});
}

void print_breaking(const JointSection& joint, std::optional<double> length) {
  const std::string stretch = length ? fmt::format("{:.5g} m", joint.ultimate_strain * *length) : fmt::format("{:.5g} L", joint.ultimate_strain);
  print_lines("breaks at a plastic", {{"", "elongation", stretch, "ultimate plastic strain times the length of bar L"},
                                      {"", "turn", fmt::format("{:.5g} rad", joint.ultimate_rotation), "ultimate plastic rotation"}});
}

void print_table(const Section& section, const SolidMaterial& material, const JointSection& joint, std::optional<double> length) {
  print("{}\n", sizes_text(section));
  print_material(material);
  print("axis 0 runs along the bar, 1 along the width, 2 along the height; forces act along an axis, moments about it\n");
  print_capacities(section, joint.capacity);
  const auto here = [&](const JointRows& rows) { return length ? per_length(rows, *length) : rows; };
  const std::string title = length ? fmt::format("elastic stiffness of a joint with L = {:g} m of bar", *length)
                                   : "elastic rigidity; divided by the length L of bar at a joint it is its stiffness";
  print_rows(title.c_str(), here(joint.rigidity), length.has_value(), "E", "G", &joint.geometry);
  if (material.hardening > 0)
    print_rows("hardening: growth of the capacities with plastic flow", here(joint.hardening), length.has_value(), "H", "H_s", nullptr);
  print_geometry(section, joint);
  print_breaking(joint, length);
}

Json rows_json(const JointRows& rows) {
  return Json::object({{"axial", rows.axial},
                       {"shear_1", rows.shear_1},
                       {"shear_2", rows.shear_2},
                       {"torsion", rows.torsion},
                       {"bending_1", rows.bending_1},
                       {"bending_2", rows.bending_2}});
}

Json section_json(const Section& s) {
  Json json = Json::object({{"shape", shape_name(s)}});
  const bool round = s.shape == SectionShape::Circle || s.shape == SectionShape::Tube;
  if (round) json["diameter"] = s.diameter;
  if (!round) json["width"] = s.width, json["height"] = s.height;
  if (s.shape == SectionShape::Tube) json["wall"] = s.wall;
  if (s.shape == SectionShape::I) json["web"] = s.web, json["flange"] = s.flange;
  return json;
}

Json material_json(const SolidMaterial& m) {
  Json json = Fields::write(m);
  json["name"] = m.name;
  json["G"] = shear_modulus(m), json["shear_yield"] = shear_yield(m);
  return json;
}

Json geometry_json(const SectionGeometry& of) {
  return Json::object({{"area", of.area},
                       {"second_moment_1", of.second_moment_1},
                       {"second_moment_2", of.second_moment_2},
                       {"torsion_constant", of.torsion_constant},
                       {"shear_share_1", of.shear_share_1},
                       {"shear_share_2", of.shear_share_2},
                       {"plastic_modulus_1", of.plastic_modulus_1},
                       {"plastic_modulus_2", of.plastic_modulus_2},
                       {"plastic_torsion", of.plastic_torsion},
                       {"shear_area_1", of.shear_area_1},
                       {"shear_area_2", of.shear_area_2}});
}

Json joint_json(const Section& section, const SolidMaterial& material, const JointSection& joint, std::optional<double> length) {
  const Formulas& by = formulas_of(section);
  Json json = Json::object({{"section", section_json(section)}, {"material", material_json(material)}, {"capacity", rows_json(joint.capacity)}});
  json["formulas"] = Json::object({{"axial", by.axial},
                                   {"shear_1", by.shear_1},
                                   {"shear_2", by.shear_2},
                                   {"torsion", by.torsion},
                                   {"bending_1", by.bending_1},
                                   {"bending_2", by.bending_2}});
  json["rigidity"] = rows_json(joint.rigidity);
  json["hardening"] = rows_json(joint.hardening);
  json["geometry"] = geometry_json(joint.geometry);
  json["mass_per_length"] = joint.mass;
  json["ultimate_strain"] = joint.ultimate_strain;
  json["ultimate_rotation"] = joint.ultimate_rotation;
  if (section.shape == SectionShape::Rectangle) json["paper_torque"] = shear_yield(material) * polar_integral(section.width, section.height);
  if (!length) return json;
  json["length"] = *length;
  json["stiffness"] = rows_json(per_length(joint.rigidity, *length));
  json["ultimate_elongation"] = joint.ultimate_strain * *length;
  return json;
}

int print_section(const SectionRequest& request, bool as_json) {
  const Result<Section> section = requested_section(request);
  if (!section) return print_error(section.error());
  const Result<SolidMaterial> material = requested_material(request);
  if (!material) return print_error(material.error());
  const Result<std::optional<double>> length = requested_length(request);
  if (!length) return print_error(length.error());
  const Result<JointSection> joint = joint_section(*section, *material);
  if (!joint) return print_error(joint.error());
  if (as_json)
    print("{}\n", write_json(joint_json(*section, *material, *joint, *length)));
  else
    print_table(*section, *material, *joint, *length);
  return kDone;
}

}  // namespace

void add_section(CLI::App& app, Action& action) {
  auto request = std::make_shared<SectionRequest>();
  auto as_json = std::make_shared<bool>(false);
  Command command(app, "section", "Print the plastic capacities of a cross-section, with formulas");
  command.add_option("--rect", request->rect, "WxH: rectangle, metres");
  command.add_option("--circle", request->circle, "D: solid round bar, metres");
  command.add_option("--tube", request->tube, "DxT: round tube, outer diameter and wall, metres");
  command.add_option("--i", request->i, "HxBxTWxTF: I, height, width, web and flange thickness, metres");
  command.add_option("--steel", request->steel, "Yield stress in MPa, or a grade such as S235");
  command.add_option("--concrete", request->concrete,
                      "MPa:SHARE: reinforced concrete, by the yield stress of its steel and the steel's share of the section");
  command.add_option("--aluminium", request->aluminium, "Yield stress in MPa (default: 250)").may_be_bare();
  command.add_option("--wood", request->wood, "Yield stress in MPa, along the grain (default: 24)").may_be_bare();
  command.add_option("--material", request->material,
                      "E=..,yield=.. in Pa, and if wanted G, poisson, shear_rule (tresca, von_mises), shear_yield, hardening, ultimate_strain, "
                      "ultimate_rotation, density");
  command.add_flag("--tresca", request->tresca, "Shear yields at half the yield stress (default)");
  command.add_flag("--von-mises", request->von_mises, "Shear yields at 0.577 of the yield stress");
  command.add_option("--length", request->length, "Metres of bar at the joint: stiffness and elongation for it");
  command.add_flag("--json", *as_json, "All numbers as JSON, in SI units");
  command.callback([request, as_json, &action] { action = [request, as_json] { return print_section(*request, *as_json); }; });
}

}  // namespace crumple::cli
