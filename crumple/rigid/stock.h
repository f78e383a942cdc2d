#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crumple/core/fields.h"
#include "crumple/material/section.h"
#include "crumple/math/types.h"
#include "crumple/rigid/plastic_law.h"

namespace crumple {
void describe(Fields& fields, JointRows& rows);
}

/// From sections and materials, as an artist names them, to the laws of joints.
namespace crumple::rigid {

/// One of the materials by name, or one by its numbers.
struct MaterialChoice {
  std::optional<double> steel, aluminium, wood;  // yield stress, Pa
  std::optional<double> concrete;                // share of steel in the section; the steel's yield stress is `yield`
  std::optional<SolidMaterial> numbers;
  // changes to a material
  ShearRule shear_rule = ShearRule::Tresca;
  std::optional<double> yield;  // of concrete's steel, Pa
  std::optional<double> hardening, ultimate_strain, ultimate_rotation, density;
};

/// One of the sections, or capacities and stiffnesses that are given; with a section they replace its own.
struct SectionChoice {
  std::optional<std::vector<double>> rect;    // width, height
  std::optional<double> circle;               // diameter
  std::optional<std::vector<double>> tube;    // diameter, wall
  std::optional<std::vector<double>> i_beam;  // height, width, web, flange
  std::optional<JointRows> capacity, stiffness;
};

/// How joints behave beyond section and material.
struct Behaviour {
  Interaction interaction = Interaction::None;
  double damping = 0;  // s
  bool breaks = true;
  double softening_from = 1;  // share of the ultimate flow from which capacities fall
  bool paper_switch = false;  // eq. 3.2
};

void describe(Fields& fields, MaterialChoice& material);
void describe(Fields& fields, SectionChoice& section);
void describe(Fields& fields, Behaviour& behaviour);

/// What can be said against one object. Reading a scene and building from settings that were made in code ask the same questions.
struct Complaint {
  std::string_view key;  // of the object that was looked at; empty: the object itself
  std::string text;
};
std::optional<Complaint> check(const MaterialChoice& material);
std::optional<Complaint> check(const SectionChoice& section);
std::optional<Complaint> check(const Behaviour& behaviour);

inline constexpr double kSmallestSize = 1e-6;  // m; within these two, masses and moments of inertia stay far from the ends of the numbers
inline constexpr double kLargestSize = 1e6;

/// What a bar is cut from: a section of a material, or what was given in its place.
struct Stock {
  std::optional<Section> shape;         // absent: capacities and stiffnesses only
  std::optional<JointSection> section;  // of shape and material
  JointRows capacity;                   // N, N m
  std::optional<JointRows> stiffness;   // N/m, N m/rad of every joint, whatever its length
  double ultimate_strain = PlasticLaw::kNever, ultimate_rotation = PlasticLaw::kNever;
};

bool names_a_material(const MaterialChoice& material);
bool has_shape(const SectionChoice& section);
/// Of a choice that has one.
Section shape_of(const SectionChoice& section);
/// With all changes; `density` for a material that has none. It is checked.
Result<SolidMaterial> solid_material(const MaterialChoice& material, double density);

/// Of a section and a material; either may be absent, and what is wrong or missing is said with a key that begins with '/'.
Result<Stock> make_stock(const SectionChoice* section, const MaterialChoice* material, double density);
/// The law of a joint at which `length` metres of bar bend: stiffness = rigidity / length.
PlasticLaw law_of(const Stock& stock, const Behaviour& behaviour, double length);
Vec6 as_vector(const JointRows& rows);

/// The law of a joint with this section and material at which `length` metres of bar bend; for joints between bodies of a scene.
Result<PlasticLaw> make_law(const SectionChoice& section, const MaterialChoice& material, const Behaviour& behaviour, double length);

}  // namespace crumple::rigid
