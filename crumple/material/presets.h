#pragma once

#include <optional>
#include <string>

#include "crumple/core/fields.h"
#include "crumple/core/result.h"

namespace crumple {

/// How shear yields, given the yield stress in tension f_y. (paper 5, sec. 2)
enum class ShearRule {
  Tresca,    ///< at f_y / 2
  VonMises,  ///< at f_y / sqrt(3), the paper's 0.58
};

/// Elastic, then plastic with linear hardening, then broken. Engineering stress and strain, SI units.
struct SolidMaterial {
  std::string name;                           // for people
  double young = 0;                           // E, Pa
  double poisson = 0.3;                       // gives G = E / (2 (1 + nu)) unless G is given
  std::optional<double> given_shear_modulus;  // Pa
  double yield = 0;                           // f_y, Pa
  ShearRule shear_rule = ShearRule::Tresca;   // gives the shear yield stress unless that is given
  std::optional<double> given_shear_yield;    // Pa
  double hardening = 0;                       // Pa: stress over plastic strain
  double ultimate_strain = 0.25;              // plastic, at which it breaks
  double ultimate_rotation = 2.5;             // rad, plastic, at which a joint of it breaks
  double density = 0;                         // kg / m^3; 0 where it does not matter
};

inline constexpr double kSteelYoung = 200e9;      // Pa (paper 5's scenes)
inline constexpr double kSteelDensity = 7800;     // kg / m^3 (paper 5, sec. 3)
inline constexpr double kConcreteDensity = 2000;  // kg / m^3 (paper 5, sec. 3)
inline constexpr double kAluminiumYield = 250e6;  // Pa, alloy 6082-T6
inline constexpr double kWoodYield = 24e6;        // Pa, softwood of class C24 (EN 338), along the grain

/// Materials by name. Any number may be given; check_material tells whether it makes sense.
SolidMaterial steel(double yield);
/// Concrete with that share (0 to 1) of its section being steel, which alone carries the load: E and yield stress are the steel's times the share, as
/// if spread over the whole section; the weight is that of both. (paper 5, sec. 3)
Result<SolidMaterial> reinforced_concrete(double steel_yield, double share);
SolidMaterial aluminium(double yield = kAluminiumYield);
SolidMaterial wood(double yield = kWoodYield);

double shear_modulus(const SolidMaterial& material);  // G, Pa
double shear_yield(const SolidMaterial& material);    // tau_y, Pa
/// Slope of shear stress over plastic shear strain that goes with the hardening H in tension: H/3 for von Mises, H/4 for Tresca.
double shear_hardening(const SolidMaterial& material);

/// Yield below E, moduli above zero, numbers that are numbers.
Result<void> check_material(const SolidMaterial& material);

/// A material given by its numbers.
void describe(Fields& fields, SolidMaterial& material);

}  // namespace crumple
