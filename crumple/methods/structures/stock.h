#pragma once

#include "crumple/methods/structures/structures.h"

/// From sections and materials to the laws of joints.
namespace crumple::structures {

/// What a bar is cut from: a section of a material, or what was given in its place.
struct Stock {
  std::optional<Section> shape;         // absent: capacities and stiffnesses only
  std::optional<JointSection> section;  // of shape and material
  JointRows capacity;                   // N, N m
  std::optional<JointRows> stiffness;   // N/m, N m/rad of every joint, whatever its length
  double ultimate_strain = rigid::PlasticLaw::kNever, ultimate_rotation = rigid::PlasticLaw::kNever;
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
rigid::PlasticLaw law_of(const Stock& stock, const Behaviour& behaviour, double length);
Vec6 as_vector(const JointRows& rows);

}  // namespace crumple::structures
