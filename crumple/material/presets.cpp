#include "crumple/material/presets.h"

#include <cmath>

#include <fmt/format.h>

namespace crumple {
namespace {

constexpr double kLargest = 1e15;  // Pa, kg / m^3, rad: beyond is a mistake, and products with the largest section stay finite

Result<void> check_number(const char* what, double value, const char* unit, bool zero_is_fine = false) {
  if ((value > 0 || (zero_is_fine && value == 0)) && value <= kLargest) return {};  // false for what is not a number, too
  const char* bound = zero_is_fine ? "not below zero" : "above zero";
  return input_error(fmt::format("{} is {:g}{}; it must be {} and at most {:g}", what, value, unit, bound, kLargest));
}

Result<void> check_elastic(const SolidMaterial& material) {
  if (Result<void> fine = check_number("E", material.young, " Pa"); !fine) return fine;
  if (material.given_shear_modulus) return check_number("G", *material.given_shear_modulus, " Pa");
  if (material.poisson > -1 && material.poisson <= 0.5) return {};
  return input_error(fmt::format("Poisson's ratio is {:g}; it must be above -1 and at most 0.5", material.poisson));
}

Result<void> check_plastic(const SolidMaterial& material) {
  if (Result<void> fine = check_number("the yield stress", material.yield, " Pa"); !fine) return fine;
  if (material.yield >= material.young) {
    return input_error(
        fmt::format("the yield stress of {:g} Pa is not below E = {:g} Pa; nothing stretches to twice its length and springs back: "
                    "are the units right?",
                    material.yield, material.young));
  }
  if (Result<void> fine = check_number("the shear yield stress", shear_yield(material), " Pa"); !fine) return fine;
  if (shear_yield(material) >= shear_modulus(material)) {
    return input_error(fmt::format("the shear yield stress of {:g} Pa is not below G = {:g} Pa", shear_yield(material), shear_modulus(material)));
  }
  if (Result<void> fine = check_number("the hardening", material.hardening, " Pa", true); !fine) return fine;
  if (material.hardening < material.young) return {};
  return input_error(fmt::format("the hardening of {:g} Pa is not below E = {:g} Pa", material.hardening, material.young));
}

}  // namespace

SolidMaterial steel(double yield) {
  SolidMaterial material;
  material.name = "steel";
  material.young = kSteelYoung;
  material.yield = yield;
  material.density = kSteelDensity;
  return material;
}

Result<SolidMaterial> reinforced_concrete(double steel_yield, double share) {
  if (!(share > 0 && share <= 1)) return input_error(fmt::format("the share of steel is {:g}; it must be above 0 and at most 1", share));
  SolidMaterial material = steel(steel_yield * share);
  material.name = fmt::format("concrete with {:g} % steel, spread over the section", 100 * share);
  material.young *= share;
  material.density = share * kSteelDensity + (1 - share) * kConcreteDensity;
  return material;
}

SolidMaterial aluminium(double yield) {
  SolidMaterial material;
  material.name = "aluminium";
  material.young = 70e9;
  material.poisson = 0.33;
  material.yield = yield;
  material.ultimate_strain = 0.1;
  material.ultimate_rotation = 1;  // ten times the strain, as for steel
  material.density = 2700;
  return material;
}

SolidMaterial wood(double yield) {
  SolidMaterial material;
  material.name = "wood";
  material.young = 11e9;
  // Along the grain wood is far softer and weaker in shear than anything that is alike in all directions. EN 338, class C24: G 690 MPa, shear 4 MPa.
  material.given_shear_modulus = 690e6;
  material.given_shear_yield = yield / 6;
  material.yield = yield;
  material.ultimate_strain = 0.01;
  material.ultimate_rotation = 0.1;  // brittle
  material.density = 420;
  return material;
}

double shear_modulus(const SolidMaterial& material) {
  return material.given_shear_modulus ? *material.given_shear_modulus : material.young / (2 * (1 + material.poisson));
}

double shear_yield(const SolidMaterial& material) {
  if (material.given_shear_yield) return *material.given_shear_yield;
  return material.shear_rule == ShearRule::Tresca ? material.yield / 2 : material.yield / std::sqrt(3.0);
}

double shear_hardening(const SolidMaterial& material) {
  // Equal plastic work: with tau = r sigma, r d(gamma) = d(epsilon), so that d(tau)/d(gamma) = r^2 H.
  const double ratio = shear_yield(material) / material.yield;
  return ratio * ratio * material.hardening;
}

Result<void> check_material(const SolidMaterial& material) {
  if (Result<void> fine = check_elastic(material); !fine) return fine;
  if (Result<void> fine = check_plastic(material); !fine) return fine;
  if (Result<void> fine = check_number("the ultimate plastic strain", material.ultimate_strain, "", true); !fine) return fine;
  if (Result<void> fine = check_number("the ultimate plastic rotation", material.ultimate_rotation, " rad", true); !fine) return fine;
  return check_number("the density", material.density, " kg/m^3", true);
}

void describe(Fields& fields, SolidMaterial& material) {
  fields.require("E");
  fields.require("yield");
  fields.number("E", material.young, more_than(0), {"Young's modulus", "Pa"});
  fields.number("poisson", material.poisson, {-1, 0.5, true}, {"Poisson's ratio, which gives G unless that is given"});
  fields.number("G", material.given_shear_modulus, more_than(0), {"shear modulus", "Pa"});
  fields.number("yield", material.yield, more_than(0), {"yield stress in tension", "Pa"});
  fields.choice<ShearRule>("shear_rule", material.shear_rule, {{"tresca", ShearRule::Tresca}, {"von_mises", ShearRule::VonMises}},
                           {"gives the shear yield stress unless that is given: half the yield stress, or 0.577 of it"});
  fields.number("shear_yield", material.given_shear_yield, more_than(0), {"yield stress in shear", "Pa"});
  fields.number("hardening", material.hardening, at_least(0), {"growth of the yield stress with plastic strain", "Pa"});
  fields.number("ultimate_strain", material.ultimate_strain, at_least(0), {"plastic strain at which it breaks"});
  fields.number("ultimate_rotation", material.ultimate_rotation, at_least(0), {"plastic turn at which a joint breaks", "rad"});
  fields.number("density", material.density, at_least(0), {"density", "kg/m^3"});
}

}  // namespace crumple
